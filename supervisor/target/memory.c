/* SPDX-License-Identifier: MIT */
#include "supervisor/target/memory.h"

#include <errno.h>
#include <sys/uio.h>

#include "supervisor/target/target.h"

int memory_next_tid(const struct target *target, const struct tracee *t, size_t *cursor)
{
	const struct process *process = t->process;

	if (t->tid != process->pid || process->threads < 2)
		return (*cursor)++ ? 0 : t->tid;
	while (*cursor < target->tracees) {
		const struct tracee *other = target->tracee[(*cursor)++];

		if (other->process == process && other != t && other->state != TRACEE_GONE)
			return other->tid;
	}
	return 0;
}

ssize_t memory_read(int tid, uint64_t at, void *to, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)(uintptr_t)at, n};
	ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);

	return got < 0 ? -errno : got;
}

bool memory_write(const struct target *target, const struct tracee *t, uint64_t at,
	const void *from, size_t n)
{
	struct iovec local = {(void *)(uintptr_t)from, n}, remote = {(void *)(uintptr_t)at, n};
	size_t cursor = 0;
	ssize_t r = -1;
	int tid;

	errno = ESRCH;
	while (r < 0 && errno == ESRCH && (tid = memory_next_tid(target, t, &cursor)) != 0)
		r = process_vm_writev(tid, &local, 1, &remote, 1, 0);
	return r == (ssize_t)n;
}
