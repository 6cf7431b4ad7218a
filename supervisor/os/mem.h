/* SPDX-License-Identifier: MIT */
/* Allocation for the supervisor. These functions must not be called in the stop window. */
#ifndef SUPERVISOR_MEM_H
#define SUPERVISOR_MEM_H

#include <stddef.h>

/* Returns zeroed memory, which free() frees; NULL: out of memory. */
void *mem_new(size_t n, size_t size);

/*
 * Enlarges *@array, which has room for *@room elements of @size bytes, to at least @n elements. New
 * elements are zeroed. 0; or -ENOMEM, and nothing is changed.
 */
int mem_grow(void **array, size_t *room, size_t n, size_t size);

#endif
