/* SPDX-License-Identifier: MIT */
/*
 * Adds ticks to counters in the target's buffers, by process_vm_readv and process_vm_writev, which
 * respect page protection. (/proc/PID/mem and PTRACE_POKEDATA would write to a read-only page.) No
 * function allocates memory: all may run in the stop window, while a thread waits to be resumed.
 */
#ifndef SUPERVISOR_COUNTER_H
#define SUPERVISOR_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/region.h"

struct remote;

struct counter_result {
	bool faulted;  /* the counter is inaccessible and unchanged */
	bool stop;     /* all must stop, as counter_sum() says */
	uint64_t full; /* ticks that did not fit */
};

/*
 * Returns @value + @ticks, but at most the highest value of @element bytes or, with
 * REGION_STOP_AT_32767, 32767. If 32767 is reached, sets *@ret_stop: all profiling by this table
 * must stop. Never clears *@ret_stop.
 */
uint64_t counter_sum(uint64_t value, uint64_t ticks, unsigned element,
	enum region_overflow overflow, bool *ret_stop);

/*
 * Adds @ticks to the counter of @element bytes at @address, while a thread of that process is
 * stopped. 0, or -errno (-ESRCH, -EPERM, ...): the process is not accessible any more, or
 * -ETIMEDOUT: a page is not delivered in time; the counter is unchanged.
 */
int counter_add(const struct remote *memory, uint64_t address, unsigned element, uint64_t ticks,
	enum region_overflow overflow, struct counter_result *ret_result);

#endif
