/* SPDX-License-Identifier: MIT */
/*
 * What can be learnt about a mapped file without the file: from the memory of a process that has it
 * mapped.
 */
#ifndef SYMBOLIZER_MEMORY_IMAGE_H
#define SYMBOLIZER_MEMORY_IMAGE_H

#include <stdint.h>

#include "proto/opening.h"

struct elfimage;
struct maps_line;
struct opener;

/* What the opener is asked for: a @kind of opening, of the mapping in @line of @pid's maps. */
struct opening opening_about(uint32_t kind, int pid, const struct maps_line *line);

/*
 * Assembles the unwritable parts of a mapped file from the memory of the process. -ENOENT: the
 * process cannot be read, or the beginning of the file is not mapped.
 */
int memory_image(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image);

/* The vdso of the process, or that of this process, which has the same kernel. */
int memory_vdso(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image);

#endif
