/* SPDX-License-Identifier: MIT */
/*
 * One line of /proc/PID/maps (proc(5)):
 *
 *	7f7c3a028000-7f7c3a1bd000 r-xp 00028000 fe:00 1180 /usr/lib/libc.so.6 (deleted)
 *
 * gives start 0x7f7c3a028000, end 0x7f7c3a1bd000, read and execute, offset 0x28000, device fe:00,
 * inode 1180 and the name "/usr/lib/libc.so.6 (deleted)".
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
	const char *name; /* in the line, as printed; not NUL-terminated */
	size_t name_bytes;
};

/* Parses @line, without its newline. 0, or -EINVAL: *@ret_line is unchanged. */
int maps_line_parse(const char *line, size_t bytes, struct maps_line *ret_line);

/*
 * Reads the maps file @path until @is_it is true for a line. The line's name is valid only during
 * the call of @is_it. False: it was true for no line, or the file cannot be read.
 */
bool maps_line_find(const char *path, bool (*is_it)(void *context, const struct maps_line *line),
	void *context);

/*
 * Reverses the only escape that the kernel uses in a name: a newline is printed as \012. (A
 * backslash is not escaped, so other \ooo are literal.) Writes at most @name_bytes bytes to @to,
 * without NUL, and returns their number.
 */
size_t maps_line_unescape(const char *name, size_t name_bytes, char *to);

/* Returns the length of @name without " (deleted)"; @name_bytes if it does not end in this. */
size_t maps_line_without_deleted(const char *name, size_t name_bytes);

#endif
