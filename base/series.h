/* SPDX-License-Identifier: MIT */
/* Files whose names differ only in a time, as --rotate writes them; the oldest are removed. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <stdbool.h>
#include <time.h>

/*
 * Does @name match @pattern? In a pattern, %% stands for %, and %t for a time: 20260131-235959, or
 * 20260131-235959_2 for the second file of one second.
 */
bool series_has(const char *pattern, const char *name);

/*
 * Sets a file's time of last change to @time, the time at which its data begins: files need not be
 * completed in the order of their data. A failure is ignored.
 */
void series_date(int fd, time_t time);

/*
 * Removes the oldest files of a series, by time of last change, and keeps @keep files. They are in
 * @folder_fd; the last component of @path is the pattern. Only regular files of our own user are
 * removed, and none if the pattern has no %t.
 */
void series_trim(int folder_fd, const char *path, unsigned keep);

#endif
