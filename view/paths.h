/* SPDX-License-Identifier: MIT */
/*
 * Call paths in a column of a table: "main;run;eval", the leaf last. A path that is too wide loses
 * first the arguments of its functions, then frames. The leaf stays, and the frame that tells the
 * path from the one most like it; of the others, those next to the leaf: "…;run;…;lookup;eval".
 */
#ifndef VIEW_PATHS_H
#define VIEW_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Cuts @n paths to @columns (at least 1) in place; they are @stride pointers apart, NULL: no path.
 * -ENOMEM.
 */
int paths_cut(char **path, size_t n, size_t stride, size_t columns, bool ascii);

#endif
