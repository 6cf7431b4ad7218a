/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/counter.h"

#include <errno.h>

#include "proto/bytes.h"
#include "supervisor/os/remote.h"

/* The smallest page of any machine: within it, access rights do not change. */
#define PAGE_BYTES 4096u
/* REGION_STOP_AT_32767 stops all profiling at this count. */
#define STOP_AT 32767u

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t counter_sum(uint64_t value, uint64_t ticks, unsigned element,
	enum region_overflow overflow, bool *ret_stop)
{
	uint64_t max = UINT64_MAX >> (64 - 8 * element);
	uint64_t sum = add_saturating(value, ticks);

	if (overflow == REGION_STOP_AT_32767) {
		if (sum < STOP_AT)
			return sum;
		*ret_stop = true;
		/* A counter that the program itself has set to a higher value keeps it. */
		return value > STOP_AT ? value : STOP_AT;
	}
	return sum > max ? max : sum;
}

/*
 * Writes a counter across two pages. If only the second is inaccessible, the kernel would write the
 * first part before it faults. So the second is written first, and restored if the first faults.
 * Returns @element; less, or -errno: the counter is unchanged.
 */
static ssize_t write_across(const struct remote *memory, uint64_t address, const uint8_t *bytes,
	const uint8_t *old, unsigned element)
{
	unsigned head = PAGE_BYTES - (unsigned)(address % PAGE_BYTES), tail = element - head;
	ssize_t done = remote_write(memory, address + head, bytes + head, tail);

	if (done != (ssize_t)tail)
		return done;
	done = remote_write(memory, address, bytes, head);
	if (done == (ssize_t)head)
		return (ssize_t)element;
	(void)remote_write(memory, address + head, old + head, tail);
	return done;
}

int counter_add(const struct remote *memory, uint64_t address, unsigned element, uint64_t ticks,
	enum region_overflow overflow, struct counter_result *ret_result)
{
	uint8_t old[8], bytes[8];
	struct iovec local = {old, element}, there = {(void *)(uintptr_t)address, element};
	struct counter_result result = {.faulted = false};
	/* Unlike remote_read(), this reads no part of a counter whose second page is late. */
	ssize_t done = remote_read_vector(memory, &local, &there, 1);

	if (done == (ssize_t)element) {
		struct reader r = reader_over(old, element);
		struct writer w = writer_over(bytes, element);
		uint64_t value = get_le(&r, element);
		uint64_t sum = counter_sum(value, ticks, element, overflow, &result.stop);

		put_le(&w, sum, element);
		result.full = ticks - (sum - value);
		if (sum != value)
			done = address % PAGE_BYTES + element > PAGE_BYTES
				? write_across(memory, address, bytes, old, element)
				: remote_write(memory, address, bytes, element);
	}
	if (done < 0 && done != -EFAULT)
		return (int)done;
	result.faulted = done != (ssize_t)element;
	if (result.faulted)
		result.full = 0;
	*ret_result = result;
	return 0;
}
