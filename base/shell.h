/* SPDX-License-Identifier: MIT */
/* Command lines that can be pasted into a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include <stddef.h>

/*
 * Returns the command line of arguments that are separated by NULs, @bytes in all, quoted where
 * necessary. The caller frees it. NULL: out of memory.
 */
char *shell_line(const char *args, size_t bytes);

#endif
