/* SPDX-License-Identifier: MIT */
/*
 * Call paths in a column of a table: "main;run;eval", the leaf last. A path that is too wide first
 * loses the arguments of its functions, then frames. Two frames are always kept: the leaf, and the
 * frame that distinguishes the path from the most similar path. Further frames next to the leaf are
 * kept if there is room: "…;run;…;lookup;eval".
 */
#ifndef VIEW_PATHS_H
#define VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the first semicolon of @path that separates functions; NULL: there is none. A semicolon
 * before a blank is a part of a Rust name, such as "<[u8; 4] as Hash>::hash".
 */
char *paths_separator(char *path);

/*
 * Cuts @n paths to @columns (at least 1): path[0], path[@stride], …, of which some may be NULL. A
 * cut string is freed and replaced. 0 or -ENOMEM.
 */
int paths_cut(char **path, size_t n, size_t stride, size_t columns, bool ascii);

#endif
