/* SPDX-License-Identifier: MIT */
/*
 * Resolves a path safely, for programs that write as root into folders in which others write too.
 * libc only; keeps no allocation.
 *
 * A path is walked name by name with descriptors, so that nothing can be exchanged between check
 * and use. A symbolic link is followed if it is trusted: it and its folder belong to us or root,
 * and if others can write to the folder, the folder is sticky and the link is our own.
 * fs.protected_symlinks does this for the last name in a sticky folder; this file does it for all
 * names, whether or not that setting is on. Links of procfs (/dev/stdout leads to one) are followed
 * as they are.
 */
#ifndef BASE_CHASE_H
#define BASE_CHASE_H

#include <limits.h>
#include <sys/stat.h>

struct chased {
	int folder_fd;           /* O_PATH */
	char name[NAME_MAX + 1]; /* name in that folder; not a link, except of procfs */
	int fd;                  /* O_PATH of the existing file, -1: none */
	struct stat st, folder;  /* st: valid with fd */
};

/*
 * Resolves @path. Release after success. -EISDIR: a folder; -ELOOP: a link that is not trusted, or
 * too many links, and *@ret_problem says which; other -errno as of open(2).
 */
int chase(const char *path, struct chased *ret_chased, const char **ret_problem);
void chase_release(struct chased *chased);

/* Can users other than us and root write to the folder? */
int chase_is_shared(const struct stat *folder);

#endif
