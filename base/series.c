/* SPDX-License-Identifier: MIT */
#include "base/series.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Returns the length of the time (20260131-235959, or ..._2) with which @name begins, or 0. */
static size_t time_bytes(const char *name)
{
	static const char shape[] = "00000000-000000";

	for (size_t i = 0; shape[i]; i++) {
		if (shape[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != shape[i])
			return 0;
	}
	name += sizeof(shape) - 1;
	if (name[0] != '_' || name[1] < '1' || name[1] > '9')
		return sizeof(shape) - 1;
	return sizeof(shape) + strspn(name + 1, "0123456789");
}

bool series_has(const char *pattern, const char *name)
{
	while (*pattern) {
		if (pattern[0] == '%' && pattern[1] == 't') {
			size_t bytes = time_bytes(name);

			if (!bytes)
				return false;
			name += bytes;
			pattern += 2;
			continue;
		}
		pattern += pattern[0] == '%' && pattern[1] == '%';
		if (*pattern++ != *name++)
			return false;
	}
	return !*name;
}

struct member {
	struct timespec changed;
	char name[NAME_MAX + 1];
};

/* Sorts files by time, newest first. */
static int compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec > y->changed.tv_sec ? -1 : 1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec > y->changed.tv_nsec ? -1 : 1;
	return strcmp(y->name, x->name);
}

/* Lists the files that match. Returns their number; 0 also if out of memory: none is removed. */
static size_t list(DIR *folder, const char *pattern, struct member **ret_member)
{
	struct member *member = NULL;
	struct dirent *entry;
	size_t n = 0, room = 0;

	while ((entry = readdir(folder))) {
		struct stat st;

		if (!series_has(pattern, entry->d_name) ||
			fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode) || st.st_uid != geteuid())
			continue;
		if (array_grow(&member, &room, n + 1) < 0) {
			free(member);
			*ret_member = NULL;
			return 0;
		}
		member[n].changed = st.st_mtim;
		(void)snprintf(member[n++].name, sizeof(member->name), "%s", entry->d_name);
	}
	*ret_member = member;
	return n;
}

void series_date(int fd, time_t time)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time}};

	(void)futimens(fd, times);
}

void series_trim(int folder_fd, const char *path, unsigned keep)
{
	const char *slash = strrchr(path, '/'), *pattern = slash ? slash + 1 : path;
	int fd = strstr(pattern, "%t") ? openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				       : -1;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct member *member;
	size_t n;

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	n = list(folder, pattern, &member);
	if (n)
		qsort(member, n, sizeof(*member), compare);
	for (size_t i = keep; i < n; i++)
		(void)unlinkat(fd, member[i].name, 0);
	free(member);
	(void)closedir(folder);
}
