/* SPDX-License-Identifier: MIT */
/*
 * One line of /proc/PID/maps (proc(5)):
 *
 *	7f7c3a028000-7f7c3a1bd000 r-xp 00028000 fe:00 1180 /usr/lib/libc.so.6 (deleted)
 *
 * start-end, permissions, offset, device, inode, name; hexadecimal, except for the inode.
 */
#ifndef BASE_MAPS_LINE_H
#define BASE_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool read, write, execute;
	const char *name; /* points into the line; not NUL-terminated */
	size_t name_bytes;
};

/* Parses @line, which has no newline. 0; or -EINVAL, and *@ret_line is unchanged. */
int maps_line_parse(const char *line, size_t bytes, struct maps_line *ret_line);

/*
 * Calls @is_it for each line of the maps file @path until @is_it returns true. Returns true then.
 * line->name is valid only during the call. False: no line was accepted, or the file is unreadable.
 */
bool maps_line_find(const char *path, bool (*is_it)(void *context, const struct maps_line *line),
	void *context);

/*
 * Copies a name and turns \012 into a newline. The kernel escapes only newlines: any other \ooo is
 * literal. @to has room for @name_bytes bytes, and gets no NUL. Returns the bytes written.
 */
size_t maps_line_unescape(const char *name, size_t name_bytes, char *to);

/* Returns the length of @name without a " (deleted)" at its end. */
size_t maps_line_without_deleted(const char *name, size_t name_bytes);

#endif
