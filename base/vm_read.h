/* SPDX-License-Identifier: MIT */
/*
 * Reads memory of a process with process_vm_readv(2); or through /proc/PID/mem, if a seccomp filter
 * or a kernel without CONFIG_CROSS_MEMORY_ATTACH refuses process_vm_readv(2). Waits for pages that
 * are not in memory; the supervisor first looks for them (supervisor/os/pages.h). May run in the
 * stop window.
 */
#ifndef BASE_VM_READ_H
#define BASE_VM_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Is process_vm_readv(2) refused? Then /proc/PID/mem has to be opened. */
bool vm_read_is_refused(void);

/*
 * Copies @n pieces (at most 1024) of the process's memory to ours: @from[i] to @to[i], of equal
 * length. *@mem_fd is a descriptor of /proc/PID/mem; if there is none, *@mem_fd is negative, or
 * @mem_fd is NULL. Returns the number of bytes, or -errno; -EFAULT: nothing of the first piece is
 * accessible; -ESRCH: the process has no memory any more.
 */
ssize_t vm_read(
	int tid, const int *mem_fd, const struct iovec *to, const struct iovec *from, size_t n);

#endif
