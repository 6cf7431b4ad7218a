/* SPDX-License-Identifier: MIT */
/* Allocation for the supervisor. Never in the stop window; out of memory is -ENOMEM. */
#ifndef SUPERVISOR_MEM_H
#define SUPERVISOR_MEM_H

#include <stddef.h>

/* Returns zeroed memory, which free() frees; NULL: out of memory. */
void *mem_new(size_t n, size_t size);

/* Makes *@array of *@room elements hold @n or more; new ones are zeroed. -ENOMEM: unchanged. */
int mem_grow(void **array, size_t *room, size_t n, size_t size);

#endif
