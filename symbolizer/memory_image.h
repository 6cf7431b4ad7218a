/* SPDX-License-Identifier: MIT */
/*
 * Assembles ELF images from the memory of a process, for mapped files that cannot be opened and for
 * the vdso; copies code without a file.
 */
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
 * Assembles the unwritable parts of a mapped file from the memory of the process. The size of the
 * image is taken from @all, the budget of all files, although pages of zeros take no memory: its
 * addresses are limited, too. -ENOENT: the process cannot be read, or the beginning of the file is
 * not mapped; -E2BIG: @all is used up; -EFBIG: more than 256 MiB; -ENOMEM. On success the caller
 * releases *@image.
 */
int memory_image(struct opener *opener, int pid, const struct maps_line *line, struct budget *all,
	struct elfimage *image);

/* Copies the vdso of @pid, or else this process's, as the kernel is the same. -ENOENT, -ENOMEM. */
int memory_vdso(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image);

/*
 * Copies the first OPENING_CODE_BYTES bytes of @line, code of @pid without a file that must not be
 * writable. -ENOENT, -ENOMEM. On success the caller frees *@ret_code.
 */
int memory_code(struct opener *opener, int pid, const struct maps_line *line, uint8_t **ret_code);

#endif
