/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "proto/request.h"

static void test_request__round_trip_at_the_offsets_of_the_table(void **state)
{
	const struct request in = {.type = REQUEST_PERIOD, .value = 1000000};
	struct request out;
	uint8_t b[REQUEST_BYTES];

	(void)state;
	request_put(b, &in);
	assert_int_equal(b[0], REQUEST_PERIOD);
	assert_int_equal(b[4], 0);
	assert_int_equal(b[7], 0);
	assert_int_equal(b[8], 1000000 & 0xff);
	assert_int_equal(request_get(b, &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
}

static void test_request__rotate_round_trip(void **state)
{
	const struct request in = {.type = REQUEST_ROTATE};
	struct request out;
	uint8_t b[REQUEST_BYTES];

	(void)state;
	request_put(b, &in);
	assert_int_equal(request_get(b, &out), 0);
	assert_int_equal(out.type, REQUEST_ROTATE);
}

static void test_request__stack_has_a_thread(void **state)
{
	const struct request in = {REQUEST_STACK, 0x01020304, 65536};
	struct request out;
	uint8_t b[REQUEST_BYTES];

	(void)state;
	request_put(b, &in);
	assert_int_equal(b[4], 4);
	assert_int_equal(b[7], 1);
	assert_int_equal(request_get(b, &out), 0);
	assert_int_equal(out.type, REQUEST_STACK);
	assert_int_equal(out.index, 0x01020304);
	assert_int_equal(out.value, 65536);
}

static void test_request__go_names_a_process(void **state)
{
	const struct request in = {REQUEST_GO, 1234, 8};
	struct request out;
	uint8_t b[REQUEST_BYTES];

	(void)state;
	request_put(b, &in);
	assert_int_equal(request_get(b, &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
}

static void test_request__nonsense_is_refused(void **state)
{
	static const struct request bad[] = {{.type = 0}, {.type = 3}, {.type = REQUEST_CHUNKS + 1},
		{.type = REQUEST_PERIOD}, {.type = REQUEST_PERIOD, .value = 9999},
		{.type = REQUEST_PERIOD, .value = UINT64_MAX},
		{.type = REQUEST_PERIOD, .index = 7, .value = 1000000},
		{.type = REQUEST_FREEZE, .value = 2}, {.type = REQUEST_STOP, .index = 1},
		{.type = REQUEST_STACK, .index = 7}, {.type = REQUEST_STACK, .value = 4096},
		{.type = REQUEST_STACK, .index = 7, .value = REQUEST_STACK_MOST + 1},
		{.type = REQUEST_CHUNKS_BASE}, {.type = REQUEST_CHUNKS, .index = 7},
		{.type = REQUEST_CHUNKS, .value = 4096},
		{.type = REQUEST_CHUNKS, .index = 7, .value = 1 | UINT64_C(1) << 59},
		{.type = REQUEST_GO, .index = 7}, {.type = REQUEST_GO, .value = 8}, {.type = 9},
		{.type = REQUEST_ROTATE, .index = 7}, {.type = REQUEST_SERVE, .index = 7},
		{.type = REQUEST_MEMORY, .value = UINT64_C(1) << 48},
		{.type = REQUEST_MEMORY, .index = 7, .value = 4096},
		{.type = REQUEST_STOP, .value = 1},
		{.type = REQUEST_GO, .index = 7, .value = REQUEST_GO_MOST + 1}};
	struct request out;
	uint8_t b[REQUEST_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		request_put(b, &bad[i]);
		assert_int_equal(request_get(b, &out), -EPROTO);
	}
	request_put(b, &(struct request){.type = REQUEST_STOP});
	assert_int_equal(request_get(b, &out), 0);
	b[5] = 1;
	assert_int_equal(request_get(b, &out), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request__round_trip_at_the_offsets_of_the_table),
		cmocka_unit_test(test_request__rotate_round_trip),
		cmocka_unit_test(test_request__stack_has_a_thread),
		cmocka_unit_test(test_request__go_names_a_process),
		cmocka_unit_test(test_request__nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
