/* SPDX-License-Identifier: MIT */
/*
 * Resolves a path safely, for programs that write as root into folders in which other users write,
 * too. libc only; allocates nothing.
 *
 * A path is walked name by name with descriptors, so that nothing can be exchanged between check
 * and use. A symbolic link is followed only if it is trusted: it and its folder belong to us or
 * root, and if others can write to the folder, the folder is sticky and the link is our own. The
 * kernel's fs.protected_symlinks checks this for links in sticky folders only, and may be off.
 * Links of procfs that lead to a file without a name (/dev/stdout may) are opened directly.
 */
#ifndef BASE_CHASE_H
#define BASE_CHASE_H

#include <limits.h>
#include <sys/stat.h>

struct chased {
	int folder_fd;           /* O_PATH */
	char name[NAME_MAX + 1]; /* name in that folder; not a link, except one of procfs */
	int fd;                  /* O_PATH of the existing file; -1: none exists */
	struct stat st, folder;  /* of the file, if fd is valid; of the folder */
};

/*
 * Resolves @path. 0: call chase_release() afterwards. -EISDIR: it is a folder; -ELOOP: too many
 * links, or one that is not trusted; other -errno as of open(2). *@ret_problem is a sentence about
 * the link that is not trusted, otherwise NULL.
 */
int chase(const char *path, struct chased *ret_chased, const char **ret_problem);
void chase_release(struct chased *chased);

#endif
