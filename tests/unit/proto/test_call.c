/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/call.h"

static const struct call_request example = {
	.pid = 0x01020304,
	.tid = 0x05060708,
	.answer = 9,
	.nonce = 0x1112131415161718,
	.seal = 0x2122232425262728,
	.total = 2,
	.first = 0,
	.count = 2,
	.dialect = CALL_IRIX,
	.element = 4,
	.flags = CALL_FAST,
};

static const struct call_region two[2] = {
	{.base = 1, .bytes = 2, .offset = 3, .limit = 4, .scale = 5},
	{.base = UINT64_MAX,
		.bytes = UINT64_MAX - 1,
		.offset = UINT64_MAX - 2,
		.limit = UINT64_MAX - 3,
		.scale = UINT32_MAX},
};

static int put(uint8_t *to, const struct call_request *q)
{
	static const struct call_region zero[CALL_REGIONS_EACH];

	return call_put_request(to, CALL_MAX_BYTES, q, q->count == 2 ? two : zero);
}

static void test_call__request_round_trip(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	int bytes = put(data, &example);
	struct call_request q;
	struct call_region r;

	(void)state;
	assert_int_equal(bytes, CALL_HEADER_BYTES + 2 * CALL_REGION_BYTES);
	assert_int_equal(call_get_request(data, (size_t)bytes, &q), 0);
	assert_int_equal(q.pid, example.pid);
	assert_int_equal(q.tid, example.tid);
	assert_int_equal(q.answer, 9);
	assert_int_equal(q.nonce, example.nonce);
	assert_int_equal(q.seal, example.seal);
	assert_int_equal(q.total, 2);
	assert_int_equal(q.first, 0);
	assert_int_equal(q.count, 2);
	assert_int_equal(q.dialect, CALL_IRIX);
	assert_int_equal(q.element, 4);
	assert_int_equal(q.flags, CALL_FAST);
	r = call_get_region(&q, 0);
	assert_int_equal(r.base, 1);
	assert_int_equal(r.bytes, 2);
	assert_int_equal(r.offset, 3);
	assert_int_equal(r.limit, 4);
	assert_int_equal(r.scale, 5);
	r = call_get_region(&q, 1);
	assert_int_equal(r.base, UINT64_MAX);
	assert_int_equal(r.limit, UINT64_MAX - 3);
	assert_int_equal(r.scale, UINT32_MAX);
}

static void test_call__damaged_request_is_refused(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	int bytes = put(data, &example);
	struct call_request q;

	(void)state;
	for (size_t n = 0; n < (size_t)bytes; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, data, n);
		assert_int_equal(call_get_request(cut, n, &q), -EPROTO);
		free(cut);
		data[n] ^= 0x40;
		assert_int_equal(call_get_request(data, (size_t)bytes, &q), -EPROTO);
		data[n] ^= 0x40;
	}
	assert_int_equal(call_get_request(data, (size_t)bytes + 1, &q), -EPROTO);
	assert_int_equal(call_get_request(data, (size_t)bytes, &q), 0);
}

/* Writes the checksum that docs/PROTOCOL.md defines. */
static void sum_up(uint8_t *data, size_t bytes)
{
	uint32_t sum = UINT32_C(2166136261);

	memset(data + 8, 0, 4);
	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ data[i]) * UINT32_C(16777619);
	for (unsigned i = 0; i < 4; i++)
		data[8 + i] = (uint8_t)(sum >> 8 * i);
}

/* The checksum is valid, so the version or the size alone is the reason. */
static void test_call__another_version_is_refused(void **state)
{
	uint8_t data[CALL_MAX_BYTES], was[4];
	size_t bytes = (size_t)put(data, &example);
	struct call_request q;

	(void)state;
	memcpy(was, data + 8, 4);
	sum_up(data, bytes);
	assert_memory_equal(data + 8, was, 4);
	assert_int_equal(call_get_request(data, bytes, &q), 0);
	for (unsigned at = 4; at < 8; at += 2) {
		data[at]++;
		sum_up(data, bytes);
		assert_int_equal(call_get_request(data, bytes, &q), -EPROTO);
		data[at]--;
	}
}

static void test_call__limits(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	struct call_request q = example, got;
	int bytes;

	(void)state;
	q.pid = q.tid = INT32_MAX;
	q.answer = 0;
	q.total = CALL_MAX_REGIONS;
	q.first = CALL_MAX_REGIONS - 2;
	bytes = put(data, &q);
	assert_int_equal(call_get_request(data, (size_t)bytes, &got), 0);
	assert_true(got.pid == INT32_MAX && got.tid == INT32_MAX && got.answer == 0);
	assert_true(got.total == CALL_MAX_REGIONS && got.first == CALL_MAX_REGIONS - 2);
	q.pid++;
	assert_int_equal(put(data, &q), -EINVAL);
}

static void test_call__flags(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	struct call_request q = example;

	(void)state;
	q.flags = CALL_TICK_LEAST << CALL_TICK_SHIFT | CALL_THREAD | CALL_USER;
	assert_true(put(data, &q) > 0);
	q.flags = (CALL_TICK_LEAST - 1) << CALL_TICK_SHIFT;
	assert_int_equal(put(data, &q), -EINVAL);
	q.flags = (uint32_t)CALL_TICK_MOST << CALL_TICK_SHIFT;
	assert_true(put(data, &q) > 0);
	q.flags = (uint32_t)(CALL_TICK_MOST + 1) << CALL_TICK_SHIFT;
	assert_int_equal(put(data, &q), -EINVAL);
	/* A status request has no table, and asks about the process's table, not a thread's. */
	q.flags = CALL_STATUS;
	assert_int_equal(put(data, &q), -EINVAL);
	q.total = q.count = 0;
	assert_true(put(data, &q) > 0);
	q.flags = CALL_STATUS | CALL_THREAD;
	assert_int_equal(put(data, &q), -EINVAL);
}

static void test_call__nonsense_is_not_sent(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	struct call_request bad[] = {example, example, example, example, example, example, example,
		example, example, example};

	(void)state;
	bad[0].pid = 0;
	bad[1].tid = 0x80000000;
	bad[2].answer = -1;
	bad[3].dialect = CALL_DIALECTS;
	bad[4].element = 3;
	bad[5].flags = 0x40;
	bad[6].total = CALL_MAX_REGIONS + 1;
	bad[7].total = 1;
	bad[8].first = 1;
	bad[9].count = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(put(data, &bad[i]), -EINVAL);
	assert_int_equal(call_put_request(data, 100, &example, two), -ENOSPC);
}

static void test_call__largest_request_is_atomic(void **state)
{
	uint8_t data[CALL_MAX_BYTES];
	struct call_request q = example;
	static const struct call_region many[CALL_REGIONS_EACH + 1];

	(void)state;
	q.total = q.count = CALL_REGIONS_EACH;
	assert_int_equal(put(data, &q), CALL_MAX_BYTES);
	assert_int_equal(call_get_request(data, CALL_MAX_BYTES, &q), 0);
	q.total = ++q.count;
	assert_int_equal(call_put_request(data, sizeof(data), &q, many), -ENOSPC);
}

static void test_call__scan_passes_over_garbage(void **state)
{
	uint8_t data[4 * CALL_MAX_BYTES], message[CALL_MAX_BYTES];
	struct call_request q = example, got;
	uint8_t *huge;
	size_t n = 0, used, at = 0;
	int bytes = put(message, &q), found = 0;

	(void)state;
	memcpy(data, "SPRSPRQx", 8);
	n = 8;
	memcpy(data + n, message, 60); /* truncated, right before a whole one */
	n += 60;
	memcpy(data + n, message, (size_t)bytes);
	n += (size_t)bytes;
	message[20] ^= 1;
	memcpy(data + n, message, (size_t)bytes); /* its checksum is wrong */
	n += (size_t)bytes;
	message[20] ^= 1;
	memcpy(data + n, message, (size_t)bytes);
	n += (size_t)bytes;
	memcpy(data + n, message, 100); /* truncated at the end */
	n += 100;
	while (call_scan(data + at, n - at, true, &got, &used) == 1) {
		assert_int_equal(got.pid, example.pid);
		at += used;
		found++;
	}
	assert_int_equal(at + used, n);
	assert_int_equal(found, 2);
	/* The size field exceeds any request and these data: all 8 bytes are consumed. */
	huge = malloc(8);
	assert_non_null(huge);
	memcpy(huge, "SPRQ\x01\0\xff\xff", 8);
	assert_int_equal(call_scan(huge, 8, true, &got, &used), 0);
	assert_int_equal(used, 8);
	free(huge);
	/* An incomplete request at the end is kept if more data may come. */
	assert_int_equal(call_scan(data + n - 100, 100, false, &got, &used), 0);
	assert_int_equal(used, 0);
	assert_int_equal(call_scan(data + n - 101, 101, false, &got, &used), 0);
	assert_int_equal(used, 1);
	assert_int_equal(call_scan((const uint8_t *)"xxSP", 4, false, &got, &used), 0);
	assert_int_equal(used, 2);
	assert_int_equal(call_scan((const uint8_t *)"xxSP", 4, true, &got, &used), 0);
	assert_int_equal(used, 4);
}

/* Scans from a heap copy, so that a sanitizer sees a read too far. Returns the bytes taken. */
static size_t scan(const uint8_t *data, size_t bytes, bool drained, int expected)
{
	uint8_t *own = malloc(bytes);
	struct call_request got;
	size_t used = SIZE_MAX;

	assert_non_null(own);
	memcpy(own, data, bytes);
	assert_int_equal(call_scan(own, bytes, drained, &got, &used), expected);
	free(own);
	return used;
}

static void test_call__scan_keeps_what_may_grow(void **state)
{
	uint8_t data[4 * CALL_MAX_BYTES] = {0}, *message = data + CALL_MAX_BYTES;
	struct call_request q = example;
	size_t bytes = (size_t)put(message, &q);

	(void)state;
	/* A complete request is taken at once, even if more data may come. */
	assert_int_equal(scan(message, bytes, false, 1), bytes);
	assert_int_equal(scan(message, bytes, true, 1), bytes);
	/*
	 * The data end after the request's magic (4 bytes), before its size (6), after its size
	 * (8), and a byte before its end. Bytes before the request are consumed.
	 */
	assert_int_equal(scan(message, 4, false, 0), 0);
	assert_int_equal(scan(message - 2, 2 + 6, false, 0), 2);
	assert_int_equal(scan(message - 2, 2 + 8, false, 0), 2);
	assert_int_equal(scan(message - 40, 40 + bytes - 1, false, 0), 40);
	assert_int_equal(scan(message - 40, 40 + bytes - 1, true, 0), 40 + bytes - 1);
	/* The bytes before the magic look like a size field, but are consumed as garbage. */
	message[-1] = 8;
	assert_int_equal(scan(message - 8, 8 + 100, false, 0), 8);
	/* An invalid request, then the first bytes of a magic. */
	memcpy(message, "SPRQ\x01\0\0\0xxSP", 12);
	assert_int_equal(scan(message, 12, false, 0), 10);
	/* A size larger than any request's: nothing beyond the data is read. */
	memcpy(message, "SPRQ\x01\0\x01\x10", 8);
	assert_int_equal(scan(data, CALL_MAX_BYTES + 8, true, 0), CALL_MAX_BYTES + 8);
	/* The largest request is kept while its last byte is missing, and then taken. */
	q.total = q.count = CALL_REGIONS_EACH;
	assert_int_equal(put(message, &q), CALL_MAX_BYTES);
	assert_int_equal(scan(message, CALL_MAX_BYTES - 1, false, 0), 0);
	assert_int_equal(scan(message, CALL_MAX_BYTES, false, 1), CALL_MAX_BYTES);
}

static void test_call__seal(void **state)
{
	uint8_t seal[CALL_SEAL_BYTES];
	struct call_request other = example;

	(void)state;
	call_put_seal(seal, &example);
	assert_true(call_seal_is_good(seal, &example));
	other.nonce++;
	assert_false(call_seal_is_good(seal, &other));
	other = example;
	other.seal++;
	assert_false(call_seal_is_good(seal, &other));
	other = example;
	other.tid++;
	assert_false(call_seal_is_good(seal, &other));
	seal[0]++;
	assert_false(call_seal_is_good(seal, &example));
}

static void test_call__answer_round_trip(void **state)
{
	uint8_t data[CALL_ANSWER_BYTES + 1] = {0};
	struct call_answer a = {.nonce = UINT64_MAX,
				   .error = EACCES,
				   .descriptor = 7,
				   .tick_ns = 16666667,
				   .inode = 99},
			   b;

	(void)state;
	assert_int_equal(call_put_answer(data, CALL_ANSWER_BYTES - 1, &a), -ENOSPC);
	assert_int_equal(call_put_answer(data, CALL_ANSWER_BYTES, &a), CALL_ANSWER_BYTES);
	assert_int_equal(call_get_answer(data, CALL_ANSWER_BYTES, &b), 0);
	assert_int_equal(b.nonce, UINT64_MAX);
	assert_int_equal(b.error, EACCES);
	assert_int_equal(b.descriptor, 7);
	assert_int_equal(b.tick_ns, 16666667);
	assert_int_equal(b.inode, 99);
	for (size_t n = 0; n < CALL_ANSWER_BYTES; n++)
		assert_int_equal(call_get_answer(data, n, &b), -EPROTO);
	data[6]++; /* the size field: a byte more */
	assert_int_equal(call_get_answer(data, CALL_ANSWER_BYTES + 1, &b), -EPROTO);
	data[6]--;
	data[0]++;
	assert_int_equal(call_get_answer(data, CALL_ANSWER_BYTES, &b), -EPROTO);
	a.error = 0;
	assert_int_equal(call_put_answer(data, CALL_ANSWER_BYTES, &a), CALL_ANSWER_BYTES);
	assert_int_equal(call_get_answer(data, CALL_ANSWER_BYTES, &b), 0);
	assert_int_equal(b.error, 0);
}

static void test_call__status_round_trip(void **state)
{
	uint8_t data[CALL_STATUS_BYTES + 1] = {0};
	struct call_status a = {.state = CALL_HAS_ENDED,
				   .reason = CALL_HIDDEN,
				   .regions = 65536,
				   .dead = 2,
				   .tick_ns = 1000000,
				   .counted = 1,
				   .outside = UINT64_MAX,
				   .full = 3,
				   .faulted = 4,
				   .lost = 5,
				   .first_dead = {7, 65535}},
			   b;

	(void)state;
	assert_int_equal(call_put_status(data, CALL_STATUS_BYTES - 1, &a), -ENOSPC);
	assert_int_equal(call_put_status(data, CALL_STATUS_BYTES, &a), CALL_STATUS_BYTES);
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES, &b), 0);
	assert_true(b.state == CALL_HAS_ENDED && b.reason == CALL_HIDDEN);
	assert_true(b.regions == 65536 && b.dead == 2 && b.tick_ns == 1000000);
	assert_true(b.counted == 1 && b.outside == UINT64_MAX && b.full == 3);
	assert_true(b.faulted == 4 && b.lost == 5);
	assert_true(b.first_dead[0] == 7 && b.first_dead[1] == 65535);
	assert_true(b.first_dead[2] == UINT32_MAX);
	for (size_t n = 0; n < CALL_STATUS_BYTES; n++)
		assert_int_equal(call_get_status(data, n, &b), -EPROTO);
	data[6]++; /* the size field: a byte more */
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES + 1, &b), -EPROTO);
	data[6]--;
	data[8] = CALL_STATES;
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES, &b), -EPROTO);
	data[8] = CALL_IS_ON;
	data[12] = CALL_REASONS;
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES, &b), -EPROTO);
	data[12] = 0;
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES, &b), 0);
	data[0]++;
	assert_int_equal(call_get_status(data, CALL_STATUS_BYTES, &b), -EPROTO);
}

static void test_call__periods(void **state)
{
	(void)state;
	assert_int_equal(call_period_ns(CALL_IRIX, 0), 10000000);
	assert_int_equal(call_period_ns(CALL_IRIX, CALL_FAST), 1000000);
	assert_int_equal(call_period_ns(CALL_SYSV, 0), 10000000);
	assert_int_equal(call_period_ns(CALL_AIX, 0), 16666667);
	assert_int_equal(call_period_ns(CALL_NATIVE, 10u << CALL_TICK_SHIFT), 100000);
	assert_int_equal(call_period_ns(CALL_NATIVE, 1000000u << CALL_TICK_SHIFT | CALL_FAST),
		UINT64_C(10000000000));
}

static int add(struct call_assembly *a, const struct call_request *q)
{
	uint8_t data[CALL_MAX_BYTES];
	int bytes = put(data, q);
	struct call_request got;

	assert_int_equal(call_get_request(data, (size_t)bytes, &got), 0);
	return call_assembly_add(a, &got);
}

static void test_call__assembly(void **state)
{
	struct call_region room[5];
	struct call_assembly a = {.region = room};
	struct call_request q = example, other;

	(void)state;
	q.total = 5;
	assert_true(call_assembly_starts(&q));
	q.regions = (const uint8_t *)&q;
	call_assembly_begin(&a, &q);
	/* The regions are borrowed from memory that the next message overwrites. */
	assert_null(a.head.regions);
	assert_int_equal(add(&a, &q), 0);
	assert_int_equal(add(&a, &q), 0); /* a repeated piece is skipped */
	assert_int_equal(a.have, 2);
	other = q;
	other.first = 3; /* a piece is missing */
	assert_int_equal(add(&a, &other), -EPROTO);
	other = q;
	other.first = 1; /* a piece overlaps */
	assert_int_equal(add(&a, &other), -EPROTO);
	other = q;
	other.first = 2;
	other.nonce++;
	assert_int_equal(add(&a, &other), -EPROTO);
	other.nonce--;
	other.element = 8;
	assert_int_equal(add(&a, &other), -EPROTO);
	q.first = 2;
	assert_int_equal(add(&a, &q), 0);
	q.first = 4;
	q.count = 1;
	assert_int_equal(add(&a, &q), 1);
	assert_int_equal(room[0].base, 1);
	assert_int_equal(room[1].base, UINT64_MAX);
	assert_int_equal(room[3].scale, UINT32_MAX);
	/* A request without regions, as off is, is complete at once. */
	q.total = q.first = q.count = 0;
	call_assembly_begin(&a, &q);
	assert_int_equal(add(&a, &q), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call__request_round_trip),
		cmocka_unit_test(test_call__damaged_request_is_refused),
		cmocka_unit_test(test_call__another_version_is_refused),
		cmocka_unit_test(test_call__limits),
		cmocka_unit_test(test_call__flags),
		cmocka_unit_test(test_call__nonsense_is_not_sent),
		cmocka_unit_test(test_call__largest_request_is_atomic),
		cmocka_unit_test(test_call__scan_passes_over_garbage),
		cmocka_unit_test(test_call__scan_keeps_what_may_grow),
		cmocka_unit_test(test_call__seal),
		cmocka_unit_test(test_call__answer_round_trip),
		cmocka_unit_test(test_call__status_round_trip),
		cmocka_unit_test(test_call__periods),
		cmocka_unit_test(test_call__assembly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
