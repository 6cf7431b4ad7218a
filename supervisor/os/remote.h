/* SPDX-License-Identifier: MIT */
/*
 * Access to the memory of another process, through one of its tids. Pages are accessible as they
 * are to the process itself. May run in the stop window. tracee_memory.h says which tid to use.
 */
#ifndef SUPERVISOR_REMOTE_H
#define SUPERVISOR_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Returns the number of bytes transferred, fewer than @n at an inaccessible page; -errno. */
ssize_t remote_read(int tid, uint64_t at, void *to, size_t n);
/*
 * Reads @n pieces with one system call; pairs of @to and @from have equal lengths. @n at most 1024.
 */
ssize_t remote_read_vector(int tid, const struct iovec *to, const struct iovec *from, size_t n);
ssize_t remote_write(int tid, uint64_t at, const void *from, size_t n);

#endif
