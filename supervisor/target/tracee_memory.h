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
 * is 0 at first. Each further call returns the next tid, for use if a write through the last one
 * failed with -ESRCH, as its thread has just ended.
 *
 * If a thread that is not the leader calls exec, the leader's tid names the new image while the
 * supervisor still takes the old leader for stopped: a write through this tid would go to the new
 * image. The exec kills the other threads, so writes through their tids fail. Therefore, if @tracee
 * is a leader with other threads in its process, the tids of these are returned (test:
 * exec_never_receives_counts).
 */
int tracee_memory_next_tid(
	const struct target *target, const struct tracee *tracee, size_t *cursor);

/* Writes through tids of tracee_memory_next_tid(). False: not all @n bytes were written. */
bool tracee_memory_write(const struct target *target, const struct tracee *tracee, uint64_t at,
	const void *from, size_t n);

#endif
