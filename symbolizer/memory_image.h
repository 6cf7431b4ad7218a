/* SPDX-License-Identifier: MIT */
/* ELF images from a process's memory, for files that cannot be opened and the vdso. */
#ifndef SYMBOLIZER_MEMORY_IMAGE_H
#define SYMBOLIZER_MEMORY_IMAGE_H

#include <stdint.h>

#include "proto/opening.h"

struct budget;
struct elfimage;
struct maps_line;
struct opener;

/* Makes a request to the opener: of @kind, about the mapping in @line of @pid's maps. */
struct opening opening_about(uint32_t kind, int pid, const struct maps_line *line);

/*
 * Assembles a mapped file's unwritable parts from the process's memory. @all, the budget of all
 * files, is charged for the whole size, as addresses are limited, too. -ENOENT: the process cannot
 * be read, or the file's beginning is not mapped; -E2BIG: @all is used up; -EFBIG: above 256 MiB;
 * -ENOMEM. The caller releases *@image.
 */
int memory_image(struct opener *opener, int pid, const struct maps_line *line, struct budget *all,
	struct elfimage *image);

/* Copies the vdso of @pid, or else this process's, as the kernel is the same. -ENOENT, -ENOMEM. */
int memory_vdso(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image);

/*
 * Copies the first OPENING_CODE_BYTES bytes of the mapping in @line, which must be code without a
 * file, and not writable. The caller frees *@ret_code. -ENOENT, -ENOMEM.
 */
int memory_code(struct opener *opener, int pid, const struct maps_line *line, uint8_t **ret_code);

#endif
