/* SPDX-License-Identifier: MIT */
/*
 * Resolves a path for programs that write as root into folders where other users write, too. Uses
 * libc only, and allocates nothing.
 *
 * The path is walked name by name with descriptors, so that nobody can exchange a file between
 * check and use. A symbolic link is followed only if link and folder belong to us or root. If
 * others can write to the folder, it must also be sticky, and the link our own. (Linux's
 * fs.protected_symlinks checks only sticky folders, and may be off.) A link of procfs
 * (/proc/self/fd/1) is opened directly unless it leads to a folder or to a regular file with a
 * name.
 */
#ifndef BASE_CHASE_H
#define BASE_CHASE_H

#include <limits.h>
#include <sys/stat.h>

struct chased {
	int folder_fd;           /* O_PATH */
	char name[NAME_MAX + 1]; /* file's name in the folder; no link but one of procfs */
	int fd;                  /* O_PATH of the existing file; -1: none exists */
	struct stat st, folder;  /* of the file (if fd is not -1); of the folder */
};

/*
 * Returns 0, and chase_release() must follow; -EISDIR: @path is a folder; -ELOOP: @path has too
 * many links, or one that must not be followed; or another -errno of open(2). *@ret_problem is a
 * sentence about the link that must not be followed, otherwise NULL.
 */
int chase(const char *path, struct chased *ret_chased, const char **ret_problem);
void chase_release(struct chased *chased);

#endif
