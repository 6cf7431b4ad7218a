/* SPDX-License-Identifier: MIT */
/*
 * Adds ticks to counters in the target's own buffers. Memory is accessed only by process_vm_readv
 * and process_vm_writev, which respect page protection: a buffer that the target could not write
 * faults here too. (/proc/PID/mem and PTRACE_POKEDATA would write to a read-only page.)
 *
 * Nothing allocates. All functions may run in the stop window.
 */
#ifndef SUPERVISOR_COUNTER_H
#define SUPERVISOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "supervisor/calls/region.h"

#define COUNTER_BATCH 64 /* maximum additions per counter_apply() */

struct remote;

/* process_vm_readv(2) or process_vm_writev(2), but -errno on failure. */
typedef ssize_t counter_transfer(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count);

struct counter_memory {
	counter_transfer *read, *write;
	void *context;
};

/* Returns the memory that counter_apply() is to access: that of @remote, which is borrowed. */
struct counter_memory counter_memory_of(struct remote *remote);

struct counter_add {
	uint64_t address; /* of the counter */
	uint64_t ticks;
	bool faulted; /* result: the counter is inaccessible; nothing was changed */
	/*
	 * result: ticks that did not fit in the counter. Of several additions to one counter, the
	 * first has them all.
	 */
	uint64_t full;
};

/*
 * Returns @value + @ticks in a counter of @element bytes. Sets *@ret_stop (never clears it) if the
 * dialect requires that all profiling stops with this sum.
 */
uint64_t counter_sum(uint64_t value, uint64_t ticks, unsigned element,
	enum region_overflow overflow, bool *ret_stop);

/*
 * Performs all of @adds (@count <= COUNTER_BATCH) in the memory of one process, a thread of which
 * is stopped meanwhile. Additions to the same counter are summed before the write. A counter
 * that cannot be read or written is marked as faulted and keeps its bytes; the others are updated.
 * *@ret_stop is set as by counter_sum().
 *
 * Returns 0, or -errno (-ESRCH, -EPERM, ...) if the process cannot be accessed at all any more.
 */
int counter_apply(const struct counter_memory *memory, unsigned element,
	enum region_overflow overflow, struct counter_add *adds, unsigned count, bool *ret_stop);

#endif
