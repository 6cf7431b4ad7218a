/* SPDX-License-Identifier: MIT */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stddef.h>

/*
 * Writes all of @from to @fd, whatever signals come. If @fd is non-blocking and takes no more,
 * waits @most_ms at most each time (-1: without a limit). 0; -ETIMEDOUT; or -errno.
 */
int whole_write(int fd, const void *from, size_t bytes, int most_ms);

#endif
