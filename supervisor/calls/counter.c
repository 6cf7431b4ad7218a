/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/counter.h"

#include <errno.h>
#include <string.h>

#include "proto/bytes.h"
#include "supervisor/os/remote.h"

/* The smallest page of any machine: within it, access rights do not change. */
#define PAGE_BYTES 4096u
/* REGION_STOP_AT_32767 stops all profiling at this count. */
#define STOP_AT 32767u

/* One counter, with the sum of all additions to it. */
struct cell {
	uint64_t address;
	uint64_t ticks;
	uint64_t full;    /* ticks that do not fit in the counter */
	uint8_t bytes[8]; /* the counter as it lies in the target */
	uint8_t old[8];
	bool faulted;
};

static ssize_t vm_read(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count)
{
	return remote_read_vector(context, local, remote, count);
}

static ssize_t vm_write(
	void *context, const struct iovec *local, const struct iovec *remote, unsigned count)
{
	return remote_write_vector(context, local, remote, count);
}

struct counter_memory counter_memory_of(struct remote *remote)
{
	return (struct counter_memory){vm_read, vm_write, remote};
}

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

static bool crosses_page(const struct cell *c, unsigned element)
{
	return c->address % PAGE_BYTES + element > PAGE_BYTES;
}

/*
 * Reads or writes @count cells in the target. The kernel stops at the first vector that faults, and
 * returns the bytes before it: that vector's cell is marked as faulted, and the rest tried again.
 */
static int transfer(const struct counter_memory *m, counter_transfer *move, struct cell **cells,
	unsigned count, unsigned element)
{
	struct iovec local[COUNTER_BATCH], remote[COUNTER_BATCH];
	unsigned at = 0;

	while (at < count) {
		unsigned n = count - at;
		ssize_t done;

		for (unsigned i = 0; i < n; i++) {
			local[i] = (struct iovec){cells[at + i]->bytes, element};
			remote[i] =
				(struct iovec){(void *)(uintptr_t)cells[at + i]->address, element};
		}
		done = move(m->context, local, remote, n);
		if (done < 0 && done != -EFAULT)
			return (int)done;
		at += done > 0 ? (unsigned)done / element : 0;
		if (at < count)
			cells[at++]->faulted = true;
	}
	return 0;
}

static ssize_t write_part(
	const struct counter_memory *m, uint8_t *bytes, uint64_t address, size_t length)
{
	struct iovec local = {bytes, length};
	struct iovec remote = {(void *)(uintptr_t)address, length};

	return m->write(m->context, &local, &remote, 1);
}

/*
 * Writes a counter across two pages. If only the second is inaccessible, the kernel would write the
 * first part before it faults. So the second is written first, and restored if the first faults.
 */
static int write_across(const struct counter_memory *m, struct cell *c, unsigned element)
{
	unsigned head = PAGE_BYTES - (unsigned)(c->address % PAGE_BYTES);
	ssize_t done = write_part(m, c->bytes + head, c->address + head, element - head);

	if (done == (ssize_t)(element - head)) {
		done = write_part(m, c->bytes, c->address, head);
		if (done == (ssize_t)head)
			return 0;
		(void)write_part(m, c->old + head, c->address + head, element - head);
	}
	if (done < 0 && done != -EFAULT)
		return (int)done;
	c->faulted = true;
	return 0;
}

/* Reads, adds and writes cells that do not overlap. */
static int update(const struct counter_memory *m, unsigned element, enum region_overflow overflow,
	struct cell *cells, unsigned count, bool *ret_stop)
{
	struct cell *list[COUNTER_BATCH];
	unsigned writes = 0;
	int err;

	for (unsigned i = 0; i < count; i++)
		list[i] = &cells[i];
	err = transfer(m, m->read, list, count, element);
	for (unsigned i = 0; !err && i < count; i++) {
		struct cell *c = &cells[i];
		struct reader r = reader_over(c->bytes, element);
		struct writer w = writer_over(c->bytes, element);
		uint64_t value = get_le(&r, element), sum;

		if (c->faulted)
			continue;
		memcpy(c->old, c->bytes, element);
		sum = counter_sum(value, c->ticks, element, overflow, ret_stop);
		put_le(&w, sum, element);
		c->full = c->ticks - (sum - value);
		if (sum == value)
			continue;
		if (crosses_page(c, element))
			err = write_across(m, c, element);
		else
			list[writes++] = c;
	}
	return err ? err : transfer(m, m->write, list, writes, element);
}

/* Inserts @add into the cells, which are sorted by address. Returns their number. */
static unsigned merge(struct cell *cells, unsigned count, const struct counter_add *add)
{
	unsigned i = count;

	while (i && cells[i - 1].address > add->address)
		i--;
	if (i && cells[i - 1].address == add->address) {
		cells[i - 1].ticks = add_saturating(cells[i - 1].ticks, add->ticks);
		return count;
	}
	memmove(&cells[i + 1], &cells[i], (count - i) * sizeof(*cells));
	cells[i] = (struct cell){.address = add->address, .ticks = add->ticks};
	return count + 1;
}

int counter_apply(const struct counter_memory *memory, unsigned element,
	enum region_overflow overflow, struct counter_add *adds, unsigned count, bool *ret_stop)
{
	struct cell cells[COUNTER_BATCH];
	unsigned n = 0;
	int err = 0;

	if (count > COUNTER_BATCH)
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		n = merge(cells, n, &adds[i]);
	/* Overlapping counters are updated one after the other, so each sees the previous sum. */
	for (unsigned from = 0, to; !err && from < n; from = to) {
		for (to = from + 1; to < n; to++)
			if (cells[to].address - cells[to - 1].address < element)
				break;
		err = update(memory, element, overflow, &cells[from], to - from, ret_stop);
	}
	for (unsigned i = 0; !err && i < count; i++) {
		for (unsigned k = 0; k < n; k++) {
			if (cells[k].address != adds[i].address)
				continue;
			adds[i].faulted = cells[k].faulted;
			adds[i].full = cells[k].faulted ? 0 : cells[k].full;
			cells[k].full = 0;
		}
	}
	return err;
}
