/* SPDX-License-Identifier: MIT */
/*
 * Another process's memory, by a tid of it. Pages are reached as the process itself could reach
 * them. May run in the stop window. By which tid is memory.h's rule.
 */
#ifndef SUPERVISOR_REMOTE_H
#define SUPERVISOR_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes that were transferred, fewer than @n at a page that is out of reach; -errno. */
ssize_t remote_read(int tid, uint64_t at, void *to, size_t n);
ssize_t remote_write(int tid, uint64_t at, const void *from, size_t n);

#endif
