/* SPDX-License-Identifier: MIT */
/*
 * By which tid the memory of a traced process is written (remote.h). May run in the stop window.
 */
#ifndef SUPERVISOR_MEMORY_H
#define SUPERVISOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target;
struct tracee;

/*
 * The tid to write the memory of @tracee's process by; 0: there is none. *@cursor begins at 0 and
 * is moved on, so that the next call gives the next tid: one may have ended just now (-ESRCH).
 *
 * When another thread calls exec, the leader's tid names the new image while the supervisor still
 * believes the old leader stopped, and a write by that tid would land there. Such an exec kills the
 * thread that any other tid names, and the write fails. So a leader that is not alone in its
 * process is reached by the others' tids (tests: exec_never_receives_counts).
 */
int memory_next_tid(const struct target *target, const struct tracee *tracee, size_t *cursor);

/* All of it is written, by the rule above. */
bool memory_write(const struct target *target, const struct tracee *tracee, uint64_t at,
	const void *from, size_t n);

#endif
