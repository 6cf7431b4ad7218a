/* SPDX-License-Identifier: MIT */
/*
 * The ring with one hostile end, and the analyst's requests to the supervisor. Input:
 *
 *	offset	size	contents
 *	0	1	0: the consumer is hostile, 1: the producer is, 2: requests of the analyst
 *	1	-	with 0: steps of 16 bytes: what to do, and two words for it
 *			with 1: the shared memory
 *			with 2: a request
 *
 * Whatever the hostile end writes, the other end must stay within the data area, and must take only
 * records that lie within the written part.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/bytes.h"
#include "proto/record.h"
#include "proto/request.h"
#include "proto/ring.h"
#include "tests/fuzz/fuzz.h"

enum { WRITTEN, TAKEN, REQUEST, PARTS };
const unsigned fuzz_parts = PARTS;

enum { CAPACITY = 4 << 20, AT_TAIL = 128, STEP_BYTES = 16, STEPS_MOST = 4096 };

static void take_step(struct ring *ring, uint8_t *memory, const uint8_t *step)
{
	struct reader r = reader_over(step, STEP_BYTES);
	uint32_t what = get_u32(&r), bytes = get_u32(&r);
	uint64_t value = get_u64(&r);
	char note[RING_WORKING_ON_BYTES];
	uint8_t *at;

	switch (what % 8) {
	case 0: memcpy(memory + AT_TAIL, &value, sizeof(value)); return;
	case 1: memcpy(memory + value % RING_DATA_OFFSET / 8 * 8, &bytes, sizeof(bytes)); return;
	case 2: /* the consumer is honest for one step */
		memcpy(memory + AT_TAIL, &ring->at, sizeof(ring->at));
		memcpy(memory + AT_TAIL + 8, &(uint32_t){1}, 4);
		return;
	case 3:
		ring_read_note(ring, note);
		if (strlen(note) >= sizeof(note))
			abort();
		return;
	case 4: (void)ring_is_half_empty(ring); return;
	default: break;
	}
	bytes %= what % 8 == 5 ? 256 : CAPACITY + 4096;
	at = ring_reserve(ring, bytes, value & 1);
	if (!at)
		return;
	if (at < memory + RING_DATA_OFFSET || at + bytes > memory + RING_DATA_OFFSET + CAPACITY)
		abort();
	if (bytes)
		at[0] = at[bytes - 1] = (uint8_t)what;
	(void)ring_commit(ring, value % (bytes + UINT64_C(1)));
	fuzz_accept(WRITTEN);
}

static void broken_consumer(const uint8_t *data, size_t size)
{
	static uint8_t *memory;
	struct ring ring;

	if (!memory)
		memory = malloc(ring_memory_bytes(CAPACITY));
	if (!memory)
		return;
	memset(memory, 0, RING_DATA_OFFSET);
	if (ring_init(&ring, memory, CAPACITY) < 0)
		abort();
	for (size_t n = 0; size >= STEP_BYTES && n < STEPS_MOST; n++) {
		take_step(&ring, memory, data);
		data += STEP_BYTES;
		size -= STEP_BYTES;
	}
}

static void broken_producer(const uint8_t *data, size_t size)
{
	size_t bytes, taken = 0;
	struct ring ring;
	/* The exact size: the sanitizer sees a read one byte too far. */
	uint8_t *memory = malloc(size ? size : 1);
	const uint8_t *record;
	int error = 0;

	if (!memory)
		return;
	memcpy(memory, data, size);
	if (ring_open(&ring, memory, size) == 0) {
		while (taken <= size && (record = ring_peek(&ring, &bytes, &error))) {
			struct record rec;

			if (record < memory + RING_DATA_OFFSET || record + bytes > memory + size)
				abort();
			if (record_get(record, bytes, &rec) == 0)
				fuzz_accept(TAKEN);
			ring_consume(&ring);
			taken += bytes;
		}
		(void)ring_sleep(&ring);
	}
	free(memory);
}

static void request(const uint8_t *data, size_t size)
{
	uint8_t again[REQUEST_BYTES];
	struct request request;

	if (size < REQUEST_BYTES || request_get(data, &request) < 0)
		return;
	request_put(again, &request);
	if (memcmp(again, data, sizeof(again)) != 0)
		abort();
	fuzz_accept(REQUEST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	switch (data[0] % 3) {
	case 0: broken_consumer(data + 1, size - 1); break;
	case 1: broken_producer(data + 1, size - 1); break;
	default: request(data + 1, size - 1); break;
	}
	return 0;
}

/* A ring with two records, and a request. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	static uint64_t memory[(RING_DATA_OFFSET + 4096) / 8];
	const struct request period = {.type = REQUEST_PERIOD, .value = 1000000};
	struct ring ring;

	ret_data[0] = (uint8_t)(n + 1);
	if (n > 1)
		return 0;
	if (n == 1) {
		request_put(ret_data + 1, &period);
		return 1 + REQUEST_BYTES;
	}
	memset(memory, 0, sizeof(memory));
	if (ring_init(&ring, memory, 4096) < 0)
		abort();
	for (int i = 0; i < 2; i++) {
		uint8_t *at = ring_reserve(&ring, 64, true);
		int bytes = at ? record_put_process(at, 64, 1, 0, 2, 3) : -1;

		if (bytes < 0)
			abort();
		(void)ring_commit(&ring, (size_t)bytes);
	}
	memcpy(ret_data + 1, memory, sizeof(memory));
	return 1 + sizeof(memory);
}
