/* SPDX-License-Identifier: MIT */
#include "supervisor/os/remote.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "supervisor/os/pages.h"

static bool is_refusal(int error)
{
	return error == ENOSYS || error == EPERM;
}

bool remote_is_refused(void)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, there = {&from, 1};

	return process_vm_readv(getpid(), &local, 1, &there, 1, 0) < 0 && is_refusal(errno);
}

/* The pieces one by one, by "mem". */
static ssize_t read_file(int fd, const struct iovec *to, const struct iovec *from, size_t n)
{
	ssize_t done = 0;

	for (size_t i = 0; i < n; i++) {
		ssize_t got = pread(
			fd, to[i].iov_base, to[i].iov_len, (off_t)(uintptr_t)from[i].iov_base);

		if (got <= 0)
			return done ? done : got < 0 ? -errno : -ESRCH;
		done += got;
		if ((size_t)got < to[i].iov_len)
			break;
	}
	return done;
}

static ssize_t read_pieces(const struct remote *remote, const struct iovec *to,
	const struct iovec *from, size_t n)
{
	ssize_t got = process_vm_readv(remote->tid, to, n, from, n, 0);

	if (got >= 0)
		return got;
	return is_refusal(errno) && remote->mem_fd && *remote->mem_fd >= 0
		? read_file(*remote->mem_fd, to, from, n)
		: -errno;
}

static ssize_t read_some(
	const struct remote *remote, uint64_t at, void *to, size_t n, enum pages_use use)
{
	struct iovec local = {to, n}, there = {(void *)(uintptr_t)at, n};

	if (remote->pages) {
		bool late;
		int64_t ready = pages_cover(remote->pages, remote->tid, at, n, use, &late);

		if (ready < 0)
			return (ssize_t)ready;
		local.iov_len = there.iov_len = (size_t)ready;
	}
	return read_pieces(remote, &local, &there, 1);
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
 * How many of the @n pieces can be accessed at once, as a whole. 0: *@ret_first bytes of the first
 * one.
 */
static ssize_t cover(const struct remote *remote, const struct iovec *piece, size_t n,
	enum pages_use use, size_t *ret_first)
{
	*ret_first = 0;
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
		return read_pieces(remote, local, there, (size_t)whole);
	done = process_vm_writev(remote->tid, local, (size_t)whole, there, (size_t)whole, 0);
	return done < 0 ? -errno : done;
}

ssize_t remote_read_vector(
	const struct remote *remote, const struct iovec *to, const struct iovec *from, size_t n)
{
	return transfer(remote, to, from, n, PAGES_READ);
}

ssize_t remote_write_vector(
	const struct remote *remote, const struct iovec *from, const struct iovec *to, size_t n)
{
	return transfer(remote, from, to, n, PAGES_WRITE);
}

ssize_t remote_write(const struct remote *remote, uint64_t at, const void *from, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)from, n}, there = {(void *)(uintptr_t)at, n};

	return remote_write_vector(remote, &local, &there, 1);
}
