/* SPDX-License-Identifier: MIT */
#include "tests/unit/made_up.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRAP(result, name, ...)            \
	result __real_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__)

const char *made_up_root;

static const char *redirect(const char *path, char to[PATH_MAX])
{
	static const char *const ours[] = {"/proc", "/var/lib/docker"};

	for (size_t i = 0; made_up_root && i < sizeof(ours) / sizeof(*ours); i++) {
		if (strncmp(path, ours[i], strlen(ours[i])) != 0 ||
			strncmp(path, "/proc/self", 10) == 0)
			continue;
		(void)snprintf(to, PATH_MAX, "%s%s", made_up_root, path);
		return to;
	}
	return path;
}

WRAP(int, open64, const char *path, int flags, ...)
{
	char to[PATH_MAX];
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return __real_open64(redirect(path, to), flags, mode);
}

WRAP(int, openat64, int at, const char *path, int flags, ...)
{
	char to[PATH_MAX];
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return __real_openat64(at, redirect(path, to), flags, mode);
}

WRAP(DIR *, opendir, const char *path)
{
	char to[PATH_MAX];

	return __real_opendir(redirect(path, to));
}

WRAP(ssize_t, readlink, const char *path, char *text, size_t n)
{
	char to[PATH_MAX];

	return __real_readlink(redirect(path, to), text, n);
}

WRAP(int, stat64, const char *path, struct stat64 *ret)
{
	char to[PATH_MAX];

	return __real_stat64(redirect(path, to), ret);
}

WRAP(FILE *, fopen64, const char *path, const char *mode)
{
	char to[PATH_MAX];

	return __real_fopen64(redirect(path, to), mode);
}

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0755);
		*slash = '/';
	}
}

void made_up_file(const char *path, const char *format, ...)
{
	char to[PATH_MAX];
	va_list arguments;
	FILE *file;

	(void)snprintf(to, sizeof(to), "%s%s", made_up_root, path);
	make_folders(to);
	file = __real_fopen64(to, "we");
	if (!file)
		abort();
	va_start(arguments, format);
	(void)vfprintf(file, format, arguments);
	va_end(arguments);
	(void)fclose(file);
}

void made_up_link(const char *path, const char *to)
{
	char from[PATH_MAX];

	(void)snprintf(from, sizeof(from), "%s%s", made_up_root, path);
	make_folders(from);
	if (symlink(to, from) < 0)
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void made_up_remove(void)
{
	(void)nftw(made_up_root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
