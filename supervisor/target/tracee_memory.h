/* SPDX-License-Identifier: MIT */
/* Finds the tid for writing a traced process's memory (remote.h). May run in the stop window. */
#ifndef SUPERVISOR_TRACEE_MEMORY_H
#define SUPERVISOR_TRACEE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/remote.h"

struct process;
struct target;
struct tracee;

/* Returns access to the memory of the process, through @tid. */
struct remote tracee_memory_of(const struct process *process, int tid);

/*
 * Returns a tid through which to write the memory of @tracee's process; 0: none is left. *@cursor
 * is 0 before the first call. If a write fails with -ESRCH, because the thread with this tid has
 * just ended, the next call returns another tid to try.
 *
 * For a leader with other threads in its process, only the tids of the other threads are returned.
 * Reason: if one of them calls exec, the leader's tid names the new image at once, while the
 * supervisor still takes the old leader for stopped. A write through the leader's tid would change
 * the new image. The exec kills all other threads, so a write through one of their tids fails
 * (test: exec_never_receives_counts).
 */
int tracee_memory_next_tid(
	const struct target *target, const struct tracee *tracee, size_t *cursor);

/* Writes through tids of tracee_memory_next_tid(). False: not all @n bytes were written. */
bool tracee_memory_write(const struct target *target, const struct tracee *tracee, uint64_t at,
	const void *from, size_t n);

#endif
