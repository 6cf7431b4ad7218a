/* SPDX-License-Identifier: MIT */
/* Files whose names differ only in a time, as --rotate writes them; the oldest are removed. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <stdbool.h>
#include <time.h>

/*
 * Does @name match @pattern? In it, %% stands for %, and %t for a time such as 20260131-235959, or
 * 20260131-235959_2 in the second file of that time.
 */
bool series_has(const char *pattern, const char *name);

/*
 * Sets a file's time of last change to @time, the time at which its data begins, because files may
 * be completed in another order. A failure is ignored.
 */
void series_date(int fd, time_t time);

/*
 * Removes all but the @keep files of a series that have the latest times of last change. They are
 * in @folder_fd; the last component of @path is the pattern. Only regular files of our own user are
 * removed, and none if the pattern has no %t.
 */
void series_trim(int folder_fd, const char *path, unsigned keep);

#endif
