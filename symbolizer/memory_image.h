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

/*
 * Makes a request of kind @kind to the opener (opener.h), about a mapping: @line of the maps of
 * process @pid.
 */
struct opening opening_about(uint32_t kind, int pid, const struct maps_line *line);

/*
 * Assembles the parts of a mapped file that are not writable from the process's memory. @all, the
 * budget of all files, is charged for the file's whole size, also for parts that take no memory, as
 * the image takes that many addresses of this process. -ENOENT: the process cannot be read, or the
 * file's beginning is not mapped; -E2BIG: @all is used up; -EFBIG: above 256 MiB; -ENOMEM; another
 * -errno of fstat(). The caller releases *@image.
 */
int memory_image(struct opener *opener, int pid, const struct maps_line *line, struct budget *all,
	struct elfimage *image);

/*
 * Copies the vdso of process @pid. If that is not possible, copies this process's vdso, as the
 * kernel is the same. -ENOENT: the mapping in @line is above 1 MiB, or too small for this process's
 * vdso; -ENOMEM.
 */
int memory_vdso(
	struct opener *opener, int pid, const struct maps_line *line, struct elfimage *image);

/*
 * Copies the first OPENING_CODE_BYTES bytes of the mapping in @line, which must be code without a
 * file, and not writable. The caller frees *@ret_code. -ENOMEM; another -errno: the code cannot be
 * read.
 */
int memory_code(struct opener *opener, int pid, const struct maps_line *line, uint8_t **ret_code);

#endif
