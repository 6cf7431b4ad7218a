/* SPDX-License-Identifier: MIT */
/*
 * The mappings of a process: /proc/PID/maps, read as text or queried for one address. Results are 0
 * or positive, or -errno; -ESRCH or -ENOENT if the process is gone.
 */
#ifndef SUPERVISOR_PROC_MAPS_H
#define SUPERVISOR_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the maps, NUL-terminated, into *@text (grown as needed). Returns the length. */
int proc_maps_read(int pid, char **text, size_t *room);

/* One executable mapping, with what is needed to notice that another one replaced it. */
struct mapped_range {
	uint64_t start, end, offset, inode;
};

/*
 * Parses the next executable mapping in the text of /proc/PID/maps, from *@at on; *@at advances to
 * the line after it. False: there is none. Example: "55d0a000-55d0b000 r-xp 00002000 08:01 1234
 * /usr/bin/xz\n" gives {0x55d0a000, 0x55d0b000, 0x2000, 1234}.
 */
bool proc_maps_next_executable(const char **at, struct mapped_range *ret_range);

/*
 * Finds the executable mapping at @address. @maps_fd: the process's open maps. -ENOENT: none.
 * -ENOTTY: before Linux 6.11.
 */
int proc_maps_query(int maps_fd, uint64_t address, struct mapped_range *ret_range);
/* Like proc_maps_query(), for a mapping that may contain a stack: readable and writable. */
int proc_maps_query_writable(int maps_fd, uint64_t address, struct mapped_range *ret_range);
/* Does a mapping without access rights (a guard page) end at @start? */
bool proc_maps_is_guarded(int maps_fd, uint64_t start);

#endif
