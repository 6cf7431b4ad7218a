/* SPDX-License-Identifier: MIT */
/*
 * Access to the memory of another process, through one of its tids. Pages are accessible as they
 * are to the process itself, and no page is waited for (pages.h). May run in the stop window.
 * tracee_memory.h says which tid to use.
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
	struct pages *pages; /* NULL: pages are waited for */
	const int *mem_fd;   /* as of vm_read(); never written, as that ignores protection */
};

/*
 * Returns the number of bytes transferred, fewer than @n at an inaccessible page or one that does
 * not come; -errno. -ETIMEDOUT: the first page does not come.
 */
ssize_t remote_read(const struct remote *remote, uint64_t at, void *to, size_t n);
/* Reads from pages that are in memory: others count as inaccessible. */
ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n);
ssize_t remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n);
/*
 * Transfer @n pieces with one system call; pairs have equal lengths. @n at most 1024. -ETIMEDOUT: a
 * page of any of them does not come, and nothing was transferred.
 */
ssize_t remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n);
ssize_t remote_write_vector(
	const struct remote *remote, const struct iovec *from, const struct iovec *to, size_t n);

#endif
