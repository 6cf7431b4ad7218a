/* SPDX-License-Identifier: MIT */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stddef.h>

/*
 * Writes all of @from to @fd, whatever signals come. Returns 0 or -errno. If @fd is non-blocking
 * and full, each write waits up to @most_ms for room (-1: without limit); -ETIMEDOUT: no room came.
 */
int whole_write(int fd, const void *from, size_t bytes, int most_ms);

#endif
