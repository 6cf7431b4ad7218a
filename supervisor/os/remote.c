/* SPDX-License-Identifier: MIT */
#include "supervisor/os/remote.h"

#include <errno.h>
#include <stdbool.h>

#include "base/vm_read.h"
#include "supervisor/os/pages.h"

static ssize_t read_some(
	const struct remote *remote, uint64_t at, void *to, size_t n, enum pages_use use)
{
	struct iovec local = {to, n}, there = {(void *)(uintptr_t)at, n};

	if (remote->pages) {
		bool late;
		int64_t ready;

		pages_begin(remote->pages);
		ready = pages_cover(remote->pages, remote->tid, at, n, use, &late);
		if (ready < 0)
			return (ssize_t)ready;
		local.iov_len = there.iov_len = (size_t)ready;
	}
	return vm_read(remote->tid, remote->mem_fd, &local, &there, 1);
}

ssize_t remote_read(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	return read_some(remote, at, to, n, PAGES_READ);
}

ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	return read_some(remote, at, to, n, PAGES_PEEK);
}

/*
 * Returns how many of the @n pieces can be accessed completely without waiting. If the result is 0,
 * *@ret_first is the number of bytes of the first piece that can be accessed. -ETIMEDOUT: a page is
 * not delivered in time; another -errno of pages_cover() about the first piece.
 */
static ssize_t cover(const struct remote *remote, const struct iovec *piece, size_t n,
	enum pages_use use, size_t *ret_first)
{
	*ret_first = 0;
	if (remote->pages)
		pages_begin(remote->pages);
	for (size_t i = 0; remote->pages && i < n; i++) {
		bool late;
		int64_t ready = pages_cover(remote->pages, remote->tid,
			(uintptr_t)piece[i].iov_base, piece[i].iov_len, use, &late);

		if (late || ready == -ESRCH)
			return late ? -ETIMEDOUT : -ESRCH;
		if (ready == (int64_t)piece[i].iov_len)
			continue;
		if (i == 0 && ready > 0)
			*ret_first = (size_t)ready;
		return i || ready > 0 ? (ssize_t)i : (ssize_t)ready;
	}
	return (ssize_t)n;
}

static ssize_t transfer(const struct remote *remote, const struct iovec *local,
	const struct iovec *there, size_t n, enum pages_use use)
{
	size_t first;
	ssize_t whole = cover(remote, there, n, use, &first), done;
	struct iovec part[2];

	if (whole < 0)
		return whole;
	if (!whole && n) {
		part[0] = (struct iovec){local->iov_base, first};
		part[1] = (struct iovec){there->iov_base, first};
		local = &part[0];
		there = &part[1];
		whole = 1;
	}
	if (use != PAGES_WRITE)
		return vm_read(remote->tid, remote->mem_fd, local, there, (size_t)whole);
	done = process_vm_writev(remote->tid, local, (size_t)whole, there, (size_t)whole, 0);
	return done < 0 ? -errno : done;
}

ssize_t remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n)
{
	return transfer(remote, to, from, n, PAGES_READ);
}

ssize_t remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)from, n}, there = {(void *)(uintptr_t)at, n};

	return transfer(remote, &local, &there, 1, PAGES_WRITE);
}
