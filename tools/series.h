/* SPDX-License-Identifier: MIT */
/* Files whose names differ by a time alone, as --rotate writes them: the oldest are removed. */
#ifndef TOOLS_SERIES_H
#define TOOLS_SERIES_H

#include <stdbool.h>

/*
 * Does @name belong to the series of @pattern, a name in which %t stands for 20260131-235959 (the
 * second file of that time: 20260131-235959_2) and %% for %?
 */
bool series_has(const char *pattern, const char *name);

/*
 * Of the regular files of ours in the folder @folder_fd that belong to the series @path (its last
 * name is the pattern) the @keep newest stay, by the time of their last change. Without a %t in the
 * last name nothing is removed.
 */
void series_trim(int folder_fd, const char *path, unsigned keep);

#endif
