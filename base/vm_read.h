/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of a process with process_vm_readv(2), or through /proc/PID/mem where that is
 * refused, by a filter of system calls or by a kernel without CONFIG_CROSS_MEMORY_ATTACH. Pages are
 * waited for; the supervisor looks first whether they are there (supervisor/os/pages.h). May run in
 * the stop window.
 */
#ifndef BASE_VM_READ_H
#define BASE_VM_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Is process_vm_readv(2) refused? Then mem is to be opened. */
bool vm_read_is_refused(void);

/*
 * Reads @n pairs of pieces of equal lengths, at most 1024. @mem_fd: the "mem" of the process; NULL,
 * or negative: it is not open. Returns the number of bytes, or -errno; -EFAULT: none of the first
 * piece is accessible; -ESRCH: there is no memory any more.
 */
ssize_t vm_read(
	int tid, const int *mem_fd, const struct iovec *to, const struct iovec *from, size_t n);

#endif
