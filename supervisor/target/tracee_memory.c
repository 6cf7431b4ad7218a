/* SPDX-License-Identifier: MIT */
#include "supervisor/target/tracee_memory.h"

#include <errno.h>

#include "supervisor/os/remote.h"
#include "supervisor/target/target.h"

struct remote tracee_memory_of(const struct process *process, int tid)
{
	/* The process stays logically const: its pages are only a cache of what the kernel says. */
	struct pages *pages = (struct pages *)(uintptr_t)&process->memory;

	return (struct remote){tid, pages->couriers ? pages : NULL, &process->fd[PROCESS_MEM]};
}

int tracee_memory_next_tid(const struct target *target, const struct tracee *t, size_t *cursor)
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

bool tracee_memory_write(const struct target *target, const struct tracee *t, uint64_t at,
	const void *from, size_t n)
{
	size_t cursor = 0;
	ssize_t r = -ESRCH;
	int tid;

	while (r == -ESRCH && (tid = tracee_memory_next_tid(target, t, &cursor)) != 0) {
		const struct remote remote = tracee_memory_of(t->process, tid);

		r = remote_write(&remote, at, from, n);
	}
	return r == (ssize_t)n;
}
