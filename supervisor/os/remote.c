/* SPDX-License-Identifier: MIT */
#include "supervisor/os/remote.h"

#include <errno.h>

ssize_t remote_read(int tid, uint64_t at, void *to, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)(uintptr_t)at, n};
	ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	return got < 0 ? -errno : got;
}

ssize_t remote_read_vector(int tid, const struct iovec *to, const struct iovec *from, size_t n)
{
	ssize_t got = process_vm_readv(tid, to, n, from, n, 0);

	return got < 0 ? -errno : got;
}

ssize_t remote_write(int tid, uint64_t at, const void *from, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)from, n}, remote = {(void *)(uintptr_t)at, n};
	ssize_t put = process_vm_writev(tid, &local, 1, &remote, 1, 0);

	return put < 0 ? -errno : put;
}
