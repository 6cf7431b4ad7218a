/* SPDX-License-Identifier: MIT */
/* Files whose names differ only in a time, as written by --rotate: the oldest are removed. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <stdbool.h>

/*
 * Does @name belong to the series of @pattern, a name in which %t stands for 20260131-235959 (the
 * second file of that time: 20260131-235959_2) and %% for %?
 */
bool series_has(const char *pattern, const char *name);

/*
 * Of our own regular files in the folder @folder_fd that belong to the series @path (its last
 * component is the pattern), keeps the @keep newest, by the time of their last change. Without a %t
 * in the last component nothing is removed.
 */
void series_trim(int folder_fd, const char *path, unsigned keep);

#endif
