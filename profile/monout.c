/* SPDX-License-Identifier: MIT */
#include "profile/monout.h"

#include <errno.h>
#include <string.h>

enum { HEADER_BYTES = 24, CALLS_BYTES = 16, COUNTER_BYTES = 2, ADDRESS_BITS = 47 };

/* The remedy for a file that is not complete. */
#define AGAIN "; copy it again, or let its program write it again"

static int refuse(const char **ret_problem, const char *text)
{
	*ret_problem = text;
	return -EINVAL;
}

bool monout_is_gmon(const uint8_t *data, size_t bytes)
{
	return bytes >= 4 && !memcmp(data, "gmon", 4);
}

/* Reads the header. False: its fields contradict each other. */
static bool read_header(const uint8_t *data, struct monout *ret_monout, uint32_t *ret_calls)
{
	struct monout m = {0};
	uint16_t hz, scale;
	int32_t calls;

	memcpy(&m.low, data, 8);
	memcpy(&m.high, data + 8, 8);
	memcpy(&calls, data + 16, 4);
	memcpy(&hz, data + 20, 2);
	memcpy(&scale, data + 22, 2);
	m.hz = hz;
	m.scale = scale;
	*ret_monout = m;
	*ret_calls = (uint32_t)calls;
	return m.low < m.high && hz && scale >= 2 && calls >= 0;
}

bool monout_seems(const uint8_t *data, size_t bytes)
{
	struct monout m;
	uint32_t calls;

	/*
	 * A gzip file, such as a damaged profile, could pass the checks below, but is no mon.out.
	 */
	if (bytes >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return false;
	return bytes >= HEADER_BYTES && read_header(data, &m, &calls) && !(m.high >> ADDRESS_BITS);
}

static uint64_t least_counters(uint64_t words, uint32_t scale)
{
	return words / 65536 * scale + (words % 65536 * scale + 65535) / 65536;
}

int monout_open(
	const uint8_t *data, size_t bytes, struct monout *ret_monout, const char **ret_problem)
{
	struct monout m;
	uint64_t words;
	uint32_t calls;
	size_t head;

	if (monout_is_gmon(data, bytes))
		return refuse(
			ret_problem, "it is a gmon.out, which gprof reads: gprof PROGRAM FILE");
	if (bytes < HEADER_BYTES)
		return refuse(ret_problem, "it is too short for a mon.out" AGAIN);
	if (!read_header(data, &m, &calls))
		return refuse(
			ret_problem, "it is no mon.out that monitor() of sprofil has written");
	if ((bytes - HEADER_BYTES) / CALLS_BYTES < calls)
		return refuse(ret_problem, "it ends in the middle of its call counts" AGAIN);
	head = HEADER_BYTES + (size_t)calls * CALLS_BYTES;
	m.counter = data + head;
	m.counters = (bytes - head) / COUNTER_BYTES;
	/*
	 * monitor() gives each counter at least 2 bytes of text, so there are at most @words
	 * counters.
	 */
	words = (m.high - m.low) / 2 + (m.high - m.low) % 2;
	if ((bytes - head) % COUNTER_BYTES || m.counters < least_counters(words, m.scale))
		return refuse(ret_problem, "it ends in the middle of its counters" AGAIN);
	if (m.counters > words)
		return refuse(ret_problem, "its counters do not fit its addresses");
	*ret_monout = m;
	return 0;
}

/* Returns where the text of a counter begins: the least d with d * scale / 131072 >= @index. */
static uint64_t text_of(const struct monout *m, size_t index)
{
	return ((uint64_t)index * 131072 + m->scale - 1) / m->scale;
}

bool monout_next(const struct monout *m, size_t *at, uint64_t *ret_address, uint32_t *ret_ticks)
{
	while (*at < m->counters) {
		size_t index = (*at)++;
		uint64_t first, behind;
		uint16_t ticks;

		memcpy(&ticks, m->counter + index * COUNTER_BYTES, sizeof(ticks));
		if (!ticks)
			continue;
		first = text_of(m, index);
		behind = text_of(m, index + 1);
		if (behind > m->high - m->low)
			behind = m->high - m->low;
		if (first >= behind)
			first = behind - 1;
		*ret_address = m->low + first + (behind - first - 1) / 2;
		*ret_ticks = ticks;
		return true;
	}
	return false;
}
