/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/bytes.h"
#include "proto/record.h"
#include "proto/ring.h"

struct pair {
	void *memory;
	struct ring producer, consumer;
};

static void pair_init(struct pair *pair, uint64_t capacity)
{
	pair->memory = aligned_alloc(64, (ring_memory_bytes(capacity) + 63) & ~(size_t)63);
	assert_non_null(pair->memory);
	memset(pair->memory, 0, ring_memory_bytes(capacity));
	assert_int_equal(ring_init(&pair->producer, pair->memory, capacity), 0);
	assert_int_equal(ring_open(&pair->consumer, pair->memory, ring_memory_bytes(capacity)), 0);
}

static bool produce(struct ring *ring, size_t bytes, uint64_t value, bool event)
{
	uint8_t *at = ring_reserve(ring, bytes, event);

	if (!at)
		return false;
	memset(at, 0xa5, bytes);
	struct writer w = writer_over(at + 4, 12);
	put_u16(&w, RECORD_THREAD);
	put_u16(&w, 0);
	put_u64(&w, value);
	(void)ring_commit(ring, bytes);
	return true;
}

static uint64_t value_of(const uint8_t *record)
{
	struct reader r = reader_over(record + 8, 8);

	return get_u64(&r);
}

static void test_ring__gives_back_in_order_over_the_wrap(void **state)
{
	struct pair pair;
	uint64_t in = 0, out = 0;
	const uint8_t *record;
	size_t bytes;
	int error;

	(void)state;
	pair_init(&pair, 4096);
	while (out < 10000) {
		while (produce(&pair.producer, 16 + in * 8 % 704, in, true))
			in++;
		while ((record = ring_peek(&pair.consumer, &bytes, &error))) {
			assert_int_equal(value_of(record), out);
			assert_int_equal(bytes, 16 + out * 8 % 704);
			ring_consume(&pair.consumer);
			out++;
		}
		assert_int_equal(error, 0);
	}
	assert_int_equal(in, out);
	free(pair.memory);
}

static void test_ring__keeps_room_for_events(void **state)
{
	struct pair pair;
	unsigned samples = 0, events = 0;

	(void)state;
	pair_init(&pair, 4096);
	while (produce(&pair.producer, 64, 0, false))
		samples++;
	while (produce(&pair.producer, 64, 0, true))
		events++;
	assert_int_equal(samples, 4096 / 8 * 7 / 64);
	assert_int_equal(events, 4096 / 8 / 64);
	free(pair.memory);
}

static uint64_t drain(struct pair *pair)
{
	const uint8_t *record;
	uint64_t n = 0;
	size_t bytes;
	int error;

	while ((record = ring_peek(&pair->consumer, &bytes, &error))) {
		ring_consume(&pair->consumer);
		n++;
	}
	assert_int_equal(error, 0);
	return n;
}

/* If the consumer keeps up, the producer touches little of the ring's memory. */
static void test_ring__begins_anew_when_it_is_empty(void **state)
{
	enum { RECORD = 8192, MEMORY = 16 << 20 };
	const size_t first = ring_first_bytes(MEMORY), reached = (1 << 20) + 2 * RECORD;
	struct pair pair;
	uint64_t out = 0;

	(void)state;
	pair_init(&pair, MEMORY);
	for (uint64_t in = 0; in < 10000; in++) {
		assert_false(ring_is_drained(&pair.producer));
		assert_true(ring_sleep(&pair.consumer));
		assert_true(ring_is_drained(&pair.producer));
		assert_true(produce(&pair.producer, RECORD, in, false));
		assert_false(ring_is_drained(&pair.producer));
		ring_wake(&pair.consumer);
		out += drain(&pair);
		assert_int_equal(out, in + 1);
	}
	for (size_t i = reached; i < MEMORY; i++)
		if (((const uint8_t *)pair.memory)[RING_DATA_OFFSET + i])
			fail_msg("byte %zu was written", i);
	assert_in_range(first, RING_DATA_OFFSET + reached, ring_memory_bytes(MEMORY) / 4);
	assert_int_equal(ring_first_bytes(4096), ring_memory_bytes(4096));
	free(pair.memory);
}

/*
 * While the consumer sleeps, the producer has room for as many bytes as were used before it began
 * anew. An eighth of these is only for events.
 */
static void test_ring__has_room_when_it_begins_anew(void **state)
{
	enum { RECORD = 8192, MEMORY = 16 << 20, USED = 2 << 20 };
	struct pair pair;
	uint64_t samples = 0, events = 0;

	(void)state;
	pair_init(&pair, MEMORY);
	for (uint64_t n = 0; n < USED / RECORD; n++)
		assert_true(produce(&pair.producer, RECORD, n, false));
	assert_int_equal(drain(&pair), USED / RECORD);
	assert_true(ring_sleep(&pair.consumer));
	while (produce(&pair.producer, RECORD, samples, false))
		samples++;
	while (produce(&pair.producer, RECORD, samples + events, true))
		events++;
	assert_int_equal(samples, USED / 8 * 7 / RECORD);
	assert_int_equal(events, USED / 8 / RECORD);
	/* The ring is not half empty, so the next emit_bell() would wake the consumer at once. */
	assert_false(ring_is_half_empty(&pair.producer));
	ring_wake(&pair.consumer);
	assert_int_equal(drain(&pair), samples + events);
	for (samples = 0; produce(&pair.producer, RECORD, samples, false);)
		samples++;
	assert_in_range(samples * RECORD, MEMORY / 8 * 7 - RECORD, MEMORY / 8 * 7);
	free(pair.memory);
}

static void test_ring__goes_on_while_the_consumer_works(void **state)
{
	enum { RECORD = 8192, MEMORY = 16 << 20 };
	struct pair pair;
	uint64_t n = 0;

	(void)state;
	pair_init(&pair, MEMORY);
	/* Each record leaves the ring empty, but the producer goes on, as the consumer is awake. */
	for (; n < (3 << 20) / RECORD; n++) {
		assert_true(produce(&pair.producer, RECORD, n, false));
		assert_int_equal(drain(&pair), 1);
	}
	/* The consumer sleeps with records left in the ring: the whole ring can be used. */
	assert_true(produce(&pair.producer, RECORD, n, false));
	assert_false(ring_sleep(&pair.consumer));
	for (n = 1; produce(&pair.producer, RECORD, n, false);)
		n++;
	assert_in_range(n * RECORD, MEMORY / 8 * 7 - RECORD, MEMORY / 8 * 7);
	assert_int_equal(drain(&pair), n);
	free(pair.memory);
}

static void test_ring__shorter_commit_than_reservation(void **state)
{
	struct pair pair;
	const uint8_t *record;
	size_t bytes;
	int error;

	(void)state;
	pair_init(&pair, 4096);
	assert_non_null(ring_reserve(&pair.producer, 3000, true));
	assert_true(produce(&pair.producer, 21, 7, true)); /* cancels the first reservation */
	record = ring_peek(&pair.consumer, &bytes, &error);
	assert_non_null(record);
	assert_int_equal(bytes, 24);
	assert_int_equal(value_of(record), 7);
	assert_int_equal(record[21] | record[22] | record[23], 0);
	free(pair.memory);
}

static void test_ring__refuses_nonsense(void **state)
{
	struct pair pair;
	size_t bytes;
	int error;

	(void)state;
	pair_init(&pair, 4096);
	assert_null(ring_reserve(&pair.producer, 5000, true));
	assert_int_equal(ring_init(&pair.producer, pair.memory, 5000), -EINVAL);
	assert_int_equal(ring_open(&pair.consumer, pair.memory, 4096), -EPROTO);
	assert_true(produce(&pair.producer, 64, 1, true));
	/* A size field that leads beyond what was produced is refused. */
	struct writer w = writer_over((uint8_t *)pair.memory + RING_DATA_OFFSET, 4);
	put_u32(&w, 4096);
	assert_null(ring_peek(&pair.consumer, &bytes, &error));
	assert_int_equal(error, -EPROTO);
	/* A read position in the middle of a record is refused. */
	((uint8_t *)pair.memory)[128] = 4;
	assert_int_equal(ring_open(&pair.consumer, pair.memory, ring_memory_bytes(4096)), -EPROTO);
	((uint8_t *)pair.memory)[128] = 0;
	/* So is another version: its records and requests may differ. */
	((uint8_t *)pair.memory)[8] = RING_VERSION - 1;
	assert_int_equal(
		ring_open(&pair.consumer, pair.memory, ring_memory_bytes(4096)), -EPROTONOSUPPORT);
	((uint8_t *)pair.memory)[0] ^= 1;
	assert_int_equal(ring_open(&pair.consumer, pair.memory, ring_memory_bytes(4096)), -EPROTO);
	free(pair.memory);
}

static void test_ring__rings_only_for_a_sleeper(void **state)
{
	struct pair pair;
	size_t bytes;
	int error;

	(void)state;
	pair_init(&pair, 4096);
	memset(ring_reserve(&pair.producer, 16, true), 1, 16);
	assert_false(ring_commit(&pair.producer, 16));
	/* There is a record, so the consumer must not sleep. */
	assert_false(ring_sleep(&pair.consumer));
	assert_non_null(ring_peek(&pair.consumer, &bytes, &error));
	ring_consume(&pair.consumer);
	assert_true(ring_sleep(&pair.consumer));
	memset(ring_reserve(&pair.producer, 16, true), 1, 16);
	assert_true(ring_commit(&pair.producer, 16));
	ring_wake(&pair.consumer);
	free(pair.memory);
}

static void test_ring__tells_when_half_is_free(void **state)
{
	struct pair pair;
	size_t bytes;
	int error;

	(void)state;
	pair_init(&pair, 4096);
	assert_true(ring_is_half_empty(&pair.producer));
	for (unsigned i = 0; i < 3; i++)
		assert_true(produce(&pair.producer, 1024, i, true));
	assert_false(ring_is_half_empty(&pair.producer));
	assert_non_null(ring_peek(&pair.consumer, &bytes, &error));
	ring_consume(&pair.consumer);
	assert_true(ring_is_half_empty(&pair.producer));
	free(pair.memory);
}

static void test_ring__note_is_cut_and_terminated(void **state)
{
	struct pair pair;
	char note[RING_WORKING_ON_BYTES];

	(void)state;
	pair_init(&pair, 4096);
	memset(pair.memory + RING_WORKING_ON_OFFSET, 'p', RING_WORKING_ON_BYTES);
	ring_read_note(&pair.producer, note);
	assert_int_equal(strlen(note), RING_WORKING_ON_BYTES - 1);
	memset(pair.memory + RING_WORKING_ON_OFFSET, 0, 1);
	ring_read_note(&pair.producer, note);
	assert_string_equal(note, "");
	free(pair.memory);
}

enum { THREADED_RECORDS = 200000 };

static void *produce_all(void *context)
{
	struct pair *pair = context;

	for (uint64_t i = 0; i < THREADED_RECORDS;) {
		if (produce(&pair->producer, 16 + i * 40 % 600, i, i % 3 == 0))
			i++;
		else
			(void)sched_yield();
	}
	return NULL;
}

/* Also run under ThreadSanitizer. */
static void test_ring__two_threads(void **state)
{
	struct pair pair;
	pthread_t thread;

	(void)state;
	pair_init(&pair, 4096);
	assert_int_equal(pthread_create(&thread, NULL, produce_all, &pair), 0);
	for (uint64_t i = 0; i < THREADED_RECORDS;) {
		size_t bytes;
		int error;
		const uint8_t *record = ring_peek(&pair.consumer, &bytes, &error);

		assert_int_equal(error, 0);
		if (!record) {
			(void)sched_yield();
			continue;
		}
		assert_int_equal(value_of(record), i);
		assert_int_equal(bytes, (16 + i * 40 % 600 + 7) / 8 * 8);
		ring_consume(&pair.consumer);
		i++;
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	free(pair.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring__gives_back_in_order_over_the_wrap),
		cmocka_unit_test(test_ring__keeps_room_for_events),
		cmocka_unit_test(test_ring__begins_anew_when_it_is_empty),
		cmocka_unit_test(test_ring__goes_on_while_the_consumer_works),
		cmocka_unit_test(test_ring__has_room_when_it_begins_anew),
		cmocka_unit_test(test_ring__shorter_commit_than_reservation),
		cmocka_unit_test(test_ring__refuses_nonsense),
		cmocka_unit_test(test_ring__rings_only_for_a_sleeper),
		cmocka_unit_test(test_ring__tells_when_half_is_free),
		cmocka_unit_test(test_ring__note_is_cut_and_terminated),
		cmocka_unit_test(test_ring__two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
