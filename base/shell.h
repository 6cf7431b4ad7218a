/* SPDX-License-Identifier: MIT */
/* Command lines that can be pasted into a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include <stddef.h>

/*
 * Joins @bytes of NUL-separated arguments, quoted if needed. The caller frees the result. NULL: out
 * of memory.
 */
char *shell_line(const char *args, size_t bytes);

#endif
