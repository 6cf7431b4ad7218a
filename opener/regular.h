/* SPDX-License-Identifier: MIT */
/*
 * Opens files named by others: a path in an ELF file, in maps, in a process's folder. Opening a
 * device has effects (a watchdog starts, a tape rewinds) and opening a FIFO blocks, so a path is
 * resolved first (O_PATH), and only a regular file of a file system that stores files is opened.
 */
#ifndef OPENER_REGULAR_H
#define OPENER_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

enum regular_links {
	REGULAR_NO_LAST_LINK, /* symbolic links only before the last component, and no magic ones */
	REGULAR_LINKS,        /* symbolic links, but not the magic ones of procfs */
	REGULAR_ALL_LINKS,
};

/*
 * A descriptor for reading, or -errno; -ENOENT: not a regular file. With @root_fd >= 0 the path and
 * all links in it are resolved below that folder, as for a process that has it as its root. Without
 * openat2(2) (before Linux 5.6), links below a root are not followed.
 */
int regular_open(int root_fd, const char *path, enum regular_links links, struct stat *ret_st);

/*
 * Opens a file below a process's root folder. Also -errno if that is inaccessible. Otherwise as
 * regular_open().
 */
int regular_open_of(int pid, const char *path, enum regular_links links, struct stat *ret_st);

/*
 * May everybody read the opened file, by its mode and those of the folders on the way to it? False
 * also if that cannot be found out: it was opened below another root.
 */
bool regular_is_public(int fd);

#endif
