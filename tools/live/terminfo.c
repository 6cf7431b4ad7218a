/* SPDX-License-Identifier: MIT */
#include "tools/live/terminfo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the longest description that ncurses accepts. */
enum { DESCRIPTION_MOST = 32768 };

static int keep(int fd)
{
	static const char digits[] = "0123456789abcdef", prefix[] = "hex:";
	uint8_t description[DESCRIPTION_MOST];
	ssize_t n = read(fd, description, sizeof(description));
	char *text = n > 0 ? malloc(sizeof(prefix) + 2 * (size_t)n) : NULL, *to;
	int r;

	if (!text)
		return n > 0 ? -ENOMEM : -ENOENT;
	to = stpcpy(text, prefix);
	for (ssize_t i = 0; i < n; i++) {
		*to++ = digits[description[i] >> 4];
		*to++ = digits[description[i] & 15];
	}
	*to = '\0';
	r = setenv("TERMINFO", text, 1) < 0 ? -errno : 0;
	free(text);
	return r;
}

/*
 * Reads "FOLDER/x/xterm". On case-insensitive file systems the subfolder is named by the
 * hexadecimal code of the letter: "FOLDER/78/xterm".
 */
static int look_in(const char *folder, const char *type)
{
	char path[PATH_MAX];
	struct stat st;
	int fd = -1, r = -ENOENT;

	for (int i = 0; i < 2 && fd < 0; i++) {
		int n = i ? snprintf(path, sizeof(path), "%s/%02x/%s", folder,
				    (unsigned char)type[0], type)
			  : snprintf(path, sizeof(path), "%s/%c/%s", folder, type[0], type);

		if (n > 0 && (size_t)n < sizeof(path) && stat(path, &st) == 0 &&
			S_ISREG(st.st_mode))
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (fd >= 0) {
		r = keep(fd);
		(void)close(fd);
	}
	return r;
}

/*
 * Looks in each of @folders, separated by ":". An empty name stands for the usual folders; it is
 * skipped, as those are searched anyway.
 */
static int look_in_all(const char *folders, const char *type)
{
	char folder[PATH_MAX];
	int r = -ENOENT;

	while (r == -ENOENT && folders && *folders) {
		size_t bytes = strcspn(folders, ":");

		if (bytes && bytes < sizeof(folder)) {
			memcpy(folder, folders, bytes);
			folder[bytes] = '\0';
			r = look_in(folder, type);
		}
		folders += bytes + (folders[bytes] == ':');
	}
	return r;
}

int terminfo_keep(const char *type)
{
	const char *own = getenv("TERMINFO"), *home = getenv("HOME");
	char folder[PATH_MAX];
	int r = -ENOENT;

	if (own && (strncmp(own, "hex:", 4) == 0 || strncmp(own, "b64:", 4) == 0))
		return 0;
	if (!type || !type[0] || type[0] == '.' || strchr(type, '/'))
		return -ENOENT;
	if (own)
		r = look_in(own, type);
	if (r == -ENOENT && home &&
		(size_t)snprintf(folder, sizeof(folder), "%s/.terminfo", home) < sizeof(folder))
		r = look_in(folder, type);
	if (r == -ENOENT)
		r = look_in_all(getenv("TERMINFO_DIRS"), type);
	if (r == -ENOENT)
		r = look_in_all("/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo:"
				"/usr/local/share/terminfo",
			type);
	return r;
}
