/* SPDX-License-Identifier: MIT */
/* Command lines that can be pasted into a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include <stddef.h>

/* The arguments, separated by NULs, @bytes in total, quoted where that is needed; owned by the
 * caller. NULL: out of memory. */
char *shell_line(const char *args, size_t bytes);

#endif
