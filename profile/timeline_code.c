/* SPDX-License-Identifier: MIT */
#include "profile/timeline_code.h"

#include <errno.h>

#include "profile/pprof_scan.h"

#define NS_PER_UNIT 1000

size_t timeline_put_varint(uint8_t *to, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		to[n++] = (uint8_t)(value | 0x80);
	to[n++] = (uint8_t)value;
	return n;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static uint64_t unzigzag(uint64_t code)
{
	return code >> 1 ^ -(code & 1);
}

static size_t run_of(const struct timeline_rows *rows, size_t from)
{
	size_t n = 1;

	while (from + n < rows->n && rows->row[from + n].state == rows->row[from].state &&
		rows->row[from + n].weight_ns == rows->row[from].weight_ns)
		n++;
	return n;
}

size_t timeline_encode(const struct timeline_rows *rows, uint8_t *to)
{
	uint64_t before = rows->row[0].time_ns / NS_PER_UNIT;
	size_t n = timeline_put_varint(to, rows->n), run;

	n += timeline_put_varint(to + n, before);
	for (size_t i = 0; i < rows->n; i++) {
		uint64_t time = rows->row[i].time_ns / NS_PER_UNIT;

		n += timeline_put_varint(to + n, zigzag(time - before));
		before = time;
	}
	for (size_t i = 0; i < rows->n; i++)
		n += timeline_put_varint(to + n, rows->row[i].sample);
	for (size_t i = 0; i < rows->n; i += run) {
		run = run_of(rows, i);
		n += timeline_put_varint(to + n, (run - 1) << 2 | rows->row[i].state);
		n += timeline_put_varint(to + n, rows->row[i].weight_ns);
	}
	return n;
}

/* False: the number is missing, or greater than @most. */
static bool take_number(struct byte_span *span, uint64_t most, uint64_t *ret_value)
{
	/* Fast path: most numbers have one byte. */
	if (span->p < span->end && *span->p < 0x80) {
		*ret_value = *span->p++;
		return *ret_value <= most;
	}
	return pprof_scan_varint(span, ret_value) > 0 && *ret_value <= most;
}

static bool take_times(struct byte_span *span, struct timeline_rows *rows)
{
	uint64_t time, code;

	if (!take_number(span, UINT64_MAX / NS_PER_UNIT, &time))
		return false;
	for (size_t i = 0; i < rows->n; i++) {
		if (!take_number(span, UINT64_MAX, &code))
			return false;
		time += unzigzag(code);
		if (time > UINT64_MAX / NS_PER_UNIT)
			return false;
		rows->row[i].time_ns = time * NS_PER_UNIT;
	}
	return true;
}

static bool take_stacks(struct byte_span *span, struct timeline_rows *rows)
{
	uint64_t sample;

	for (size_t i = 0; i < rows->n; i++) {
		if (!take_number(span, UINT32_MAX, &sample))
			return false;
		rows->row[i].sample = (uint32_t)sample;
	}
	return true;
}

static bool take_runs(struct byte_span *span, struct timeline_rows *rows)
{
	for (size_t i = 0; i < rows->n;) {
		uint64_t head, weight_ns;

		if (!take_number(span, TIMELINE_ROWS * 4, &head) ||
			!take_number(span, INT64_MAX, &weight_ns) || !weight_ns ||
			(head & 3) >= TIMELINE_STATES || head >> 2 >= rows->n - i)
			return false;
		for (uint64_t end = i + (head >> 2) + 1; i < end; i++) {
			rows->row[i].state = (enum timeline_state)(head & 3);
			rows->row[i].weight_ns = weight_ns;
		}
	}
	return true;
}

int timeline_decode(const uint8_t *data, size_t bytes, struct timeline_rows *ret_rows)
{
	struct byte_span span = {data, data + bytes};
	uint64_t rows;

	if (!take_number(&span, TIMELINE_ROWS, &rows) || !rows)
		return -EBADMSG;
	ret_rows->n = (size_t)rows;
	if (!take_times(&span, ret_rows) || !take_stacks(&span, ret_rows) ||
		!take_runs(&span, ret_rows) || span.p != span.end)
		return -EBADMSG;
	return 0;
}
