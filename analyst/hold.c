/* SPDX-License-Identifier: MIT */
#include "analyst/hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/analyst.h"
#include "analyst/take.h"
#include "base/array.h"
#include "proto/record.h"

/*
 * WAIT_NS: the longest time that a record waits. It is counted by the records' times, not by a
 * clock, as an answer comes only behind all older records in the ring. BYTES_MOST: the maximum
 * bytes of all waiting records.
 */
#define WAIT_NS    UINT64_C(3000000000)
#define BYTES_MOST ((size_t)128 << 20)
/* Until the last answer has come, the waiting records are tried only this often. */
#define AGAIN_NS 10000000
/* At most this many stacks request memory at a time. */
#define AT_ONCE 32

void hold_release(struct hold *hold)
{
	free(hold->data);
	free(hold->list);
	*hold = (struct hold){0};
}

static bool is_empty(const struct hold *hold)
{
	return hold->begin == hold->end;
}

/* Moves the waiting records to the front if more than half of the used room is free. */
static void tidy(struct hold *hold)
{
	if (hold->data_begin > hold->data_end / 2) {
		memmove(hold->data, hold->data + hold->data_begin,
			hold->data_end - hold->data_begin);
		hold->data_end -= hold->data_begin;
		hold->data_begin = 0;
	}
	if (hold->begin > hold->end / 2) {
		memmove(hold->list, hold->list + hold->begin,
			(hold->end - hold->begin) * sizeof(*hold->list));
		hold->end -= hold->begin;
		hold->begin = 0;
	}
}

static int add(struct hold *hold, const uint8_t *data, size_t bytes, bool ready)
{
	tidy(hold);
	if (array_grow(&hold->data, &hold->data_room, hold->data_end + bytes) < 0 ||
		array_grow(&hold->list, &hold->room, hold->end + 1) < 0)
		return -ENOMEM;
	memcpy(hold->data + hold->data_end, data, bytes);
	hold->data_end += bytes;
	hold->list[hold->end++] = (struct held){(uint32_t)bytes, ready};
	return 0;
}

/*
 * 0: all memory that the record needs is there; -EAGAIN: memory is missing, and will be requested;
 * -ENOMEM.
 */
static int probe(struct analyst *analyst, const struct record *rec)
{
	return rec->header.type == RECORD_SAMPLE
		? take_probe(analyst, rec->header.time_ns, &rec->as.sample)
		: 0;
}

/*
 * Ends the wait for the first record's memory, as an answer may be lost: forgets all answers and
 * requests. The caller then takes the record without that memory.
 */
static void give_up(struct analyst *analyst)
{
	runtimes_each(&analyst->runtimes, &analyst->spaces, peek_forget);
	analyst->runtimes.forced++;
}

/*
 * Takes records in order, up to the first one that still has to wait. 1: RECORD_END was taken; 0:
 * it was not; -ENOMEM.
 */
static int take_ready(struct analyst *analyst, uint64_t now_ns)
{
	struct hold *hold = &analyst->hold;

	while (!is_empty(hold)) {
		const struct held *held = &hold->list[hold->begin];
		struct record rec;
		int r = 0;

		/* This cannot fail: the record was well-formed when it came. */
		(void)record_get(hold->data + hold->data_begin, held->bytes, &rec);
		if (!held->ready)
			r = probe(analyst, &rec);
		if (r == -EAGAIN) {
			if (now_ns < rec.header.time_ns + WAIT_NS &&
				hold->data_end - hold->data_begin <= BYTES_MOST)
				return 0;
			give_up(analyst);
			r = 0;
		}
		if (r == 0)
			r = take_record(analyst, &rec);
		if (r)
			return r;
		hold->data_begin += held->bytes;
		hold->begin++;
	}
	runtimes_each(&analyst->runtimes, &analyst->spaces, peek_tidy);
	return 0;
}

static int probe_waiting(struct analyst *analyst)
{
	struct hold *hold = &analyst->hold;
	size_t at = hold->data_begin, waiting = 0;

	for (size_t i = hold->begin; i < hold->end && waiting < AT_ONCE; i++) {
		struct held *held = &hold->list[i];
		struct record rec;

		if (!held->ready) {
			int r;

			(void)record_get(hold->data + at, held->bytes, &rec);
			r = probe(analyst, &rec);
			if (r == -ENOMEM)
				return r;
			held->ready = r == 0;
			waiting += r != 0;
		}
		at += held->bytes;
	}
	return 0;
}

static int retry(struct analyst *analyst, uint64_t now_ns)
{
	int r = take_ready(analyst, now_ns);

	analyst->hold.tried_ns = now_ns;
	if (r == 0)
		r = probe_waiting(analyst);
	runtimes_each(&analyst->runtimes, &analyst->spaces, peek_send);
	return r;
}

static int take_answer(struct analyst *analyst, const struct record *rec)
{
	struct hold *hold = &analyst->hold;
	uint64_t now_ns = rec->header.time_ns;
	int r = take_memory(analyst, now_ns, &rec->as.memory);

	if (r < 0 || is_empty(hold) ||
		(runtimes_waiting(&analyst->runtimes, &analyst->spaces) &&
			now_ns < hold->tried_ns + AGAIN_NS))
		return r;
	return retry(analyst, now_ns);
}

int hold_record(
	struct analyst *analyst, const uint8_t *data, size_t bytes, const struct record *rec)
{
	struct hold *hold = &analyst->hold;
	uint64_t now_ns = rec->header.time_ns;
	int r;

	if (rec->header.type == RECORD_MEMORY)
		return take_answer(analyst, rec);
	if (is_empty(hold)) {
		r = probe(analyst, rec);
		runtimes_each(&analyst->runtimes, &analyst->spaces, peek_send);
		if (r != -EAGAIN)
			return r < 0 ? r : take_record(analyst, rec);
		hold->tried_ns = now_ns;
		return add(hold, data, bytes, false);
	}
	r = add(hold, data, bytes, rec->header.type != RECORD_SAMPLE);
	if (r < 0)
		return r;
	if (rec->header.type == RECORD_END)
		return hold_flush(analyst);
	return now_ns < hold->tried_ns + AGAIN_NS ? 0 : retry(analyst, now_ns);
}

int hold_flush(struct analyst *analyst)
{
	runtimes_each(&analyst->runtimes, &analyst->spaces, peek_last);
	return take_ready(analyst, UINT64_MAX);
}
