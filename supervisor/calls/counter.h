/* SPDX-License-Identifier: MIT */
/*
 * Adding ticks to counters in the target's own buffers. The memory is reached only by
 * process_vm_readv and process_vm_writev, which respect the pages' protection: a buffer that the
 * target could not write itself gives a fault here too. (/proc/PID/mem and PTRACE_POKEDATA would
 * write to a read-only page.)
 *
 * Nothing allocates. All may run in the stop window.
 */
#ifndef SUPERVISOR_COUNTER_H
#define SUPERVISOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "supervisor/calls/region.h"

#define COUNTER_BATCH 64 /* most additions of one counter_apply() */

/* As process_vm_readv(2) and process_vm_writev(2), but -errno on failure. */
typedef ssize_t counter_transfer(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count);

struct counter_memory {
	counter_transfer *read, *write;
	void *context;
};

/* The memory of the process that the thread *@tid belongs to. @tid is read at each transfer. */
struct counter_memory counter_memory_of(pid_t *tid);

struct counter_add {
	uint64_t address; /* of the counter */
	uint64_t ticks;
	bool faulted;  /* result: the counter is out of reach; nothing was changed */
	uint64_t full; /* result: ticks that did not go into the counter any more. Of several for
			  one counter, the first tells it. */
};

/*
 * @value + @ticks in a counter of @element bytes. *@ret_stop is set (never cleared) when the
 * dialect says that all profiling stops with this.
 */
uint64_t counter_sum(uint64_t value, uint64_t ticks, unsigned element,
	enum region_overflow overflow, bool *ret_stop);

/*
 * Adds all of @adds (@count <= COUNTER_BATCH), which hit the memory of one process while none of
 * its sampled threads runs. Several for one counter are summed before they are written. A counter
 * that cannot be read or written is marked and its bytes stay as they are; the others are served.
 * *@ret_stop as with counter_sum().
 *
 * Returns 0, or -errno (-ESRCH, -EPERM, ...) when the process cannot be reached at all any more.
 */
int counter_apply(const struct counter_memory *memory, unsigned element,
	enum region_overflow overflow, struct counter_add *adds, unsigned count, bool *ret_stop);

#endif
