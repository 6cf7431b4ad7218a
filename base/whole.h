/* SPDX-License-Identifier: MIT */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stddef.h>

/*
 * Writes all of @from to @fd, whatever signals come. Returns 0 or -errno. If @fd is
 * non-blocking and full, waits up to @most_ms for room each time (-1: without a limit), and returns
 * -ETIMEDOUT if there is none by then.
 */
int whole_write(int fd, const void *from, size_t bytes, int most_ms);

#endif
