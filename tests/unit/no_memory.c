/* SPDX-License-Identifier: MIT */
#include "tests/unit/no_memory.h"

#include <stdbool.h>
#include <stddef.h>

unsigned long until_failure;

static bool fails(void)
{
	return until_failure && !--until_failure;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t n, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t n, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_reallocarray(void *memory, size_t n, size_t bytes)
{
	return fails() ? NULL : __real_reallocarray(memory, n, bytes);
}
