/* SPDX-License-Identifier: MIT */
/*
 * Opens files whose paths come from others: from an ELF file, from maps, from a process. As opening
 * a device has effects (a watchdog starts, a tape rewinds) and opening a FIFO blocks, a path is
 * first resolved (O_PATH), and only a regular file of a file system that stores files is opened.
 */
#ifndef OPENER_REGULAR_H
#define OPENER_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_links {
	/* as REGULAR_LINKS, but the last component may not be a link */
	REGULAR_NO_LAST_LINK,
	REGULAR_LINKS,     /* symbolic links, but not the magic ones of procfs */
	REGULAR_ALL_LINKS, /* all symbolic links, also the magic ones of procfs */
};

/*
 * Opens a file for reading. Returns a descriptor, or -errno; -ENOENT: not a regular file. With
 * @root_fd >= 0 the path and all links in it are resolved below that folder, as for a process that
 * has it as its root. Without openat2(2) (before Linux 5.6), links below a root are not followed.
 */
int regular_open(int root_fd, const char *path, enum regular_links links, struct stat *ret_st);

/*
 * Does what regular_open() does, below the root folder of a process. -errno also if that folder is
 * inaccessible.
 */
int regular_open_of(int pid, const char *path, enum regular_links links, struct stat *ret_st);

/*
 * May all users read the opened file, by its mode and those of the folders on its path? False also
 * if that is unknown, as for a file below another root.
 */
bool regular_is_public(int fd);

#endif
