/* SPDX-License-Identifier: MIT */
/*
 * Access to the memory of another process, through one of its tids, with the access rights that the
 * process itself has. No page is waited for (pages.h). May run in the stop window. tracee_memory.h
 * says which tid to use.
 */
#ifndef SUPERVISOR_REMOTE_H
#define SUPERVISOR_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct pages;

struct remote {
	int tid;
	struct pages *pages; /* NULL: accesses wait for pages */
	/* /proc/PID/mem, for reads by vm_read(); writes through it would ignore access rights */
	const int *mem_fd;
};

/*
 * Returns the number of bytes transferred. The transfer ends before a page that is inaccessible or
 * not delivered in time; if that is the first page, returns -ETIMEDOUT (not in time) or another
 * -errno.
 */
ssize_t remote_read(const struct remote *remote, uint64_t at, void *to, size_t n);
/* Reads from pages that are in memory: others count as inaccessible. */
ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n);
/* -ETIMEDOUT: a page of any of the @n bytes is not delivered in time, and nothing was written. */
ssize_t remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n);
/*
 * Reads @n pieces (1024 at most) with one system call. to[i] and from[i] must have equal lengths.
 * -ETIMEDOUT: a page of any piece is not delivered in time, and nothing was read.
 */
ssize_t remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n);

#endif
