/* SPDX-License-Identifier: MIT */
/*
 * Call paths in a column of a table: "main;run;eval", the leaf last. A path that is too wide loses
 * first the arguments of its functions, then frames. What stays is the leaf, the frame that
 * distinguishes the path from the most similar one, and, where there is room, the frames next to
 * the leaf: "…;run;…;lookup;eval".
 */
#ifndef VIEW_PATHS_H
#define VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the next semicolon of a path that separates functions; NULL: none. The one in a Rust name
 * such as "<[u8; 4] as Hash>::hash" does not: a blank follows it.
 */
char *paths_separator(char *path);

/*
 * Cuts @n paths to @columns (at least 1) in place. They are @stride pointers apart; NULL stands for
 * no path. Strings that are cut are freed and replaced. 0 or -ENOMEM.
 */
int paths_cut(char **path, size_t n, size_t stride, size_t columns, bool ascii);

#endif
