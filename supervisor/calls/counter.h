/* SPDX-License-Identifier: MIT */
/*
 * Adds ticks to counters in the target's buffers, by process_vm_readv and process_vm_writev, which
 * respect page protection. (/proc/PID/mem and PTRACE_POKEDATA would write to a read-only page.)
 * Nothing allocates. All functions may run in the stop window.
 */
#ifndef SUPERVISOR_COUNTER_H
#define SUPERVISOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "supervisor/calls/region.h"

#define COUNTER_BATCH 64 /* most additions per counter_apply() */

struct remote;

/* process_vm_readv(2) or process_vm_writev(2), but -errno on failure. */
typedef ssize_t counter_transfer(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count);

struct counter_memory {
	counter_transfer *read, *write;
	void *context;
};

/* Returns access to the memory of @remote, which is borrowed. */
struct counter_memory counter_memory_of(struct remote *remote);

struct counter_add {
	uint64_t address; /* of the counter */
	uint64_t ticks;
	bool faulted; /* result: the counter is inaccessible and unchanged */
	/* result: ticks that did not fit; the first addition to a counter has them for all */
	uint64_t full;
};

/* Returns @value + @ticks, or the limit. Sets *@ret_stop if all must stop; never clears it. */
uint64_t counter_sum(uint64_t value, uint64_t ticks, unsigned element,
	enum region_overflow overflow, bool *ret_stop);

/*
 * Performs @adds (@count <= COUNTER_BATCH) in the memory of a process, while one of its threads is
 * stopped. An inaccessible counter is marked as faulted; the others are updated. Sets *@ret_stop as
 * counter_sum() does. 0, or -errno (-ESRCH, -EPERM, ...): the process is not accessible any more.
 */
int counter_apply(const struct counter_memory *memory, unsigned element,
	enum region_overflow overflow, struct counter_add *adds, unsigned count, bool *ret_stop);

#endif
