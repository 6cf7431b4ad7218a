/* SPDX-License-Identifier: MIT */
#include "base/vm_read.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static bool is_refusal(int error)
{
	return error == ENOSYS || error == EPERM;
}

bool vm_read_is_refused(void)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, there = {&from, 1};

	return process_vm_readv(getpid(), &local, 1, &there, 1, 0) < 0 && is_refusal(errno);
}

/* Returns what process_vm_readv(2) returns: -EFAULT, not EIO of pread(), for unmapped memory. */
static ssize_t read_file(int fd, const struct iovec *to, const struct iovec *from, size_t n)
{
	ssize_t done = 0;

	for (size_t i = 0; i < n; i++) {
		ssize_t got = pread(
			fd, to[i].iov_base, to[i].iov_len, (off_t)(uintptr_t)from[i].iov_base);

		if (got <= 0 && done)
			break;
		if (got <= 0)
			return !got ? -ESRCH : errno == EIO ? -EFAULT : -errno;
		done += got;
		if ((size_t)got < to[i].iov_len)
			break;
	}
	return done;
}

ssize_t vm_read(
	int tid, const int *mem_fd, const struct iovec *to, const struct iovec *from, size_t n)
{
	ssize_t got = process_vm_readv(tid, to, n, from, n, 0);

	if (got >= 0)
		return got;
	if (!is_refusal(errno) || !mem_fd || *mem_fd < 0)
		return -errno;
	return read_file(*mem_fd, to, from, n);
}
