/* SPDX-License-Identifier: MIT */
/* What can be learnt of a mapped file without the file: from the memory of who has it mapped. */
#ifndef SYMBOLIZER_MEMORY_H
#define SYMBOLIZER_MEMORY_H

struct image;
struct maps_line;
struct opener;

/*
 * Puts the unwritable parts of a mapped file together from the memory of the process. -ENOENT: the
 * process cannot be read, or has not the beginning of the file mapped.
 */
int memory_image(struct opener *opener, int pid, const struct maps_line *line, struct image *image);

/* The vdso of the process, or else that of this process, which the same kernel gave. */
int memory_vdso(struct opener *opener, int pid, const struct maps_line *line, struct image *image);

#endif
