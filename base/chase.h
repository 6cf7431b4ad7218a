/* SPDX-License-Identifier: MIT */
/*
 * Resolves a path for programs that write as root into folders where other users write, too. libc
 * only; allocates nothing.
 *
 * The path is walked name by name with descriptors, so that nothing can be exchanged between check
 * and use. A symbolic link is followed only if the link and its folder belong to us or root, and,
 * in a folder that others can write to, only if the folder is sticky and the link our own. (Linux's
 * fs.protected_symlinks checks only sticky folders, and may be off.) A link of procfs
 * (/proc/self/fd/1) is opened directly unless it leads to a folder or a regular file with a name.
 */
#ifndef BASE_CHASE_H
#define BASE_CHASE_H

#include <limits.h>
#include <sys/stat.h>

struct chased {
	int folder_fd;           /* O_PATH */
	char name[NAME_MAX + 1]; /* name in that folder; not a link, except one of procfs */
	int fd;                  /* O_PATH of the existing file; -1: none exists */
	struct stat st, folder;  /* stat() of the file, if fd is valid, and of the folder */
};

/*
 * Returns 0, and chase_release() must follow; -EISDIR: @path is a folder; -ELOOP: it has too many
 * links, or one that must not be followed (then *@ret_problem is a sentence that says so; in all
 * other cases it is NULL); or another -errno, as of open(2).
 */
int chase(const char *path, struct chased *ret_chased, const char **ret_problem);
void chase_release(struct chased *chased);

#endif
