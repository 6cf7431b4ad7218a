/* SPDX-License-Identifier: MIT */
/*
 * Call paths in a column of a table: "main;run;eval", the leaf last. A path that is too wide loses
 * first the arguments of its functions, then frames. The leaf stays, and the frame that
 * distinguishes the path from the most similar one; where there is room, also frames next to the
 * leaf: "…;run;…;lookup;eval".
 */
#ifndef VIEW_PATHS_H
#define VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the next semicolon that separates functions; NULL: none. The semicolon of a Rust name, as
 * in "<[u8; 4] as Hash>::hash", does not: a blank follows it.
 */
char *paths_separator(char *path);

/*
 * Cuts @n paths to @columns (at least 1): path[0], path[@stride], …, of which some may be NULL. A
 * cut string is freed and replaced. 0 or -ENOMEM.
 */
int paths_cut(char **path, size_t n, size_t stride, size_t columns, bool ascii);

#endif
