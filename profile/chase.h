/* SPDX-License-Identifier: MIT */
/*
 * Where a path leads, without being led astray: for programs that write as root into folders in
 * which others write too. libc only, no allocation is kept.
 *
 * A path is walked name by name with descriptors, so that nothing that was looked at can be put
 * elsewhere before it is used. A symbolic link is followed if it is ours: it and its folder belong
 * to us or root, and where others can write to the folder it is sticky and the link is our own.
 * What fs.protected_symlinks does for the last name in a sticky folder, this does for all, whether
 * or not it is switched on. Links of procfs (/dev/stdout leads to one) are followed as they are.
 */
#ifndef PROFILE_CHASE_H
#define PROFILE_CHASE_H

#include <limits.h>
#include <sys/stat.h>

struct chased {
	int folder_fd;           /* O_PATH */
	char name[NAME_MAX + 1]; /* in that folder; no link, unless of procfs */
	int fd;                  /* O_PATH of what is there, -1 nothing yet */
	struct stat st, folder;  /* st: valid with fd */
};

/*
 * To be released after success. -EISDIR: it leads to a folder; -ELOOP: a link that is not ours, or
 * too many links, and *@ret_problem says which; other -errno as of open(2).
 */
int chase(const char *path, struct chased *ret_chased, const char **ret_problem);
void chase_release(struct chased *chased);

/* Can others than us and root write to the folder? */
int chase_is_shared(const struct stat *folder);

#endif
