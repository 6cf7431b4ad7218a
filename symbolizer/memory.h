/* SPDX-License-Identifier: MIT */
/* What can be learnt of a mapped file without the file: from memory, and from maps of our own. */
#ifndef SYMBOLIZER_MEMORY_H
#define SYMBOLIZER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct maps_line;

/* Would /proc/PID/maps print these numbers for the file behind @fd? */
bool memory_file_identity_is(int fd, uint32_t major, uint32_t minor, uint64_t inode);

/*
 * Puts the unwritable parts of a mapped file together from the memory of the process. -ENOENT: the
 * process cannot be read, or has not the beginning of the file mapped.
 */
int memory_image(int pid, const struct maps_line *line, const struct maps_line *lines,
	size_t n_lines, struct image *image);

/* The vdso of the process, or else that of this process, which the same kernel gave. */
int memory_vdso(int pid, const struct maps_line *line, struct image *image);

#endif
