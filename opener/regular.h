/* SPDX-License-Identifier: MIT */
/*
 * Opens files whose paths come from others: an ELF file, maps, a process. Opening a device has
 * effects (a watchdog starts, a tape rewinds), and opening a FIFO blocks. So a path is first
 * resolved (O_PATH), and only a regular file of a file system that stores files is opened.
 */
#ifndef OPENER_REGULAR_H
#define OPENER_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_links {
	/* like REGULAR_LINKS, but the path's last component may not be a link */
	REGULAR_NO_LAST_LINK,
	REGULAR_LINKS,     /* symbolic links, but not the magic ones of procfs */
	REGULAR_ALL_LINKS, /* all symbolic links, also the magic ones of procfs */
};

/*
 * Opens a file for reading. Returns a descriptor, or -errno; -ENOENT also if the file is not
 * regular. If @root_fd >= 0, it is the root folder of @path and of all links in it. Without
 * openat2(2) (before Linux 5.6), links below @root_fd are not followed.
 */
int regular_open(int root_fd, const char *path, enum regular_links links, struct stat *ret_st);

/* regular_open() below the root folder of process @pid. -errno also if that is inaccessible. */
int regular_open_of(int pid, const char *path, enum regular_links links, struct stat *ret_st);

/*
 * May all users read the opened file? Decided by the modes of the file and of the folders on its
 * path. False also if unknown, as for a file below another root.
 */
bool regular_is_public(int fd);

#endif
