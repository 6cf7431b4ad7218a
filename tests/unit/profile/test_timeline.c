/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/model.h"
#include "profile/pprof.h"
#include "profile/timeline_code.h"
#include "tests/unit/timeline_fixture.h"

static void test_code__is_as_its_header_says(void **state)
{
	static const uint8_t wanted[] = {
		0x02, 0x05, 0x00, 0x88, 0x40, 0x00, 0x01, 0x04, 0x80, 0x92, 0xf4, 0x01};
	struct timeline_rows *rows = calloc(2, sizeof(*rows));
	uint8_t data[TIMELINE_HEAD_BYTES + 2 * TIMELINE_ROW_BYTES];

	(void)state;
	assert_non_null(rows);
	rows->n = 2;
	rows->row[0] = (struct instant){.time_ns = 5000, .weight_ns = 4000000};
	rows->row[1] = (struct instant){.time_ns = 4105000, .weight_ns = 4000000, .sample = 1};
	assert_int_equal(timeline_encode(rows, data), sizeof(wanted));
	assert_memory_equal(data, wanted, sizeof(wanted));
	assert_int_equal(timeline_decode(data, sizeof(wanted), &rows[1]), 0);
	assert_int_equal(rows[1].n, 2);
	assert_int_equal(rows[1].row[1].time_ns, 4105000);
	assert_int_equal(rows[1].row[1].sample, 1);
	assert_int_equal(rows[1].row[1].weight_ns, 4000000);
	/* A piece that is cut, or has bytes behind it, is refused. */
	for (size_t n = 0; n < sizeof(wanted); n++)
		assert_int_equal(timeline_decode(data, n, &rows[1]), -EBADMSG);
	assert_int_equal(timeline_decode(data, sizeof(wanted) + 1, &rows[1]), -EBADMSG);
	free(rows);
}

static void test_code__takes_whatever_comes(void **state)
{
	struct timeline_rows *rows = calloc(2, sizeof(*rows));
	uint8_t *data = malloc(TIMELINE_HEAD_BYTES + TIMELINE_ROWS * TIMELINE_ROW_BYTES);
	uint64_t seed = 1;
	size_t bytes;

	(void)state;
	assert_true(rows && data);
	rows->n = TIMELINE_ROWS;
	for (size_t i = 0; i < TIMELINE_ROWS; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1;
		rows->row[i] = (struct instant){.time_ns = (seed >> 10) / 1000 * 1000,
			.weight_ns = (seed >> (1 + i % 60)) + 1,
			.sample = (uint32_t)(seed >> 32),
			.state = (enum timeline_state)(i % TIMELINE_STATES)};
	}
	bytes = timeline_encode(rows, data);
	assert_true(bytes <= TIMELINE_HEAD_BYTES + TIMELINE_ROWS * TIMELINE_ROW_BYTES);
	assert_int_equal(timeline_decode(data, bytes, &rows[1]), 0);
	for (size_t i = 0; i < TIMELINE_ROWS; i++) {
		assert_int_equal(rows[0].row[i].time_ns, rows[1].row[i].time_ns);
		assert_int_equal(rows[0].row[i].weight_ns, rows[1].row[i].weight_ns);
		assert_int_equal(rows[0].row[i].sample, rows[1].row[i].sample);
		assert_int_equal(rows[0].row[i].state, rows[1].row[i].state);
	}
	free(rows);
	free(data);
}

static int64_t sum_of(const struct profile *profile, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(profile); i++)
		sum += profile_sample(profile, i).value[type];
	return sum;
}

static uint64_t weight_of(const struct profile *profile, size_t *ret_n)
{
	struct timeline_cursor cursor;
	struct instant instant;
	uint64_t sum = 0;

	*ret_n = 0;
	assert_int_equal(timeline_begin(&cursor, profile), 0);
	while (timeline_next(&cursor, &instant)) {
		sum += instant.weight_ns;
		++*ret_n;
	}
	timeline_end(&cursor);
	return sum;
}

static void test_span__spans_are_all_together(void **state)
{
	struct profile *profile = fixture_timeline(), *part;
	int64_t cpu_ns = 0, samples = 0;
	/* 37 spans of some 83 ms, with bounds within samples */
	const uint64_t step = 83 * (uint64_t)FIXTURE_MS + 12345;

	(void)state;
	for (uint64_t from = 0; from < 3000 * (uint64_t)FIXTURE_MS; from += step) {
		assert_int_equal(timeline_span(profile, from, from + step, &part), 0);
		cpu_ns += sum_of(part, VALUE_CPU_NS);
		samples += sum_of(part, VALUE_SAMPLES);
		assert_int_equal(profile_realtime_ns(part), FIXTURE_BEGAN_NS);
		profile_free(part);
	}
	assert_int_equal(samples, sum_of(profile, VALUE_SAMPLES));
	assert_int_equal(cpu_ns, sum_of(profile, VALUE_CPU_NS) - 7 * FIXTURE_MS);
	profile_free(profile);
}

static void test_span__a_wait_lies_before_its_end(void **state)
{
	struct profile *profile = fixture_timeline(), *part;
	int queue = profile_add_value_type(profile, "runqueue", "nanoseconds");
	int wall = profile_add_value_type(profile, "wall", "nanoseconds");
	const struct instant wait = {.time_ns = FIXTURE_BEGAN_NS + 2000 * (uint64_t)FIXTURE_MS,
		.weight_ns = 200 * (uint64_t)FIXTURE_MS,
		.state = TIMELINE_QUEUED};

	(void)state;
	profile_set_value(profile, 0, (size_t)queue, 200 * FIXTURE_MS);
	profile_set_value(profile, 0, (size_t)wall, 1200 * FIXTURE_MS);
	assert_int_equal(timeline_add(profile, &wait), 0);
	assert_int_equal(timeline_span(profile, 1850 * (uint64_t)FIXTURE_MS,
				 1900 * (uint64_t)FIXTURE_MS, &part),
		0);
	assert_int_equal(sum_of(part, (size_t)queue), 50 * FIXTURE_MS);
	assert_int_equal(sum_of(part, (size_t)wall), 50 * FIXTURE_MS);
	assert_int_equal(sum_of(part, VALUE_CPU_NS), 0);
	profile_free(part);
	profile_free(profile);
}

/* No sample of the part is in the main mapping. */
static void test_timeline__a_part_has_the_main_mapping(void **state)
{
	struct profile *profile = fixture_timeline(), *part;
	int own = profile_add_mapping(
		profile, &(struct mapping){.file = "/bin/own", .build_id = "", .start = 1});

	(void)state;
	profile_set_main(profile, fixture_index(own));
	assert_int_equal(timeline_span(profile, 1850 * (uint64_t)FIXTURE_MS,
				 1900 * (uint64_t)FIXTURE_MS, &part),
		0);
	assert_string_equal(profile_mapping(part, profile_main(part)).file, "/bin/own");
	profile_free(part);
	profile_free(profile);
}

static void test_timeline__comes_back_from_a_file(void **state)
{
	struct profile *profile = fixture_timeline(), *back;
	size_t n, m, bytes;
	uint8_t *data;

	(void)state;
	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	assert_int_equal(pprof_read(data, bytes, &back, NULL), 0);
	assert_int_equal(weight_of(profile, &n), weight_of(back, &m));
	assert_int_equal(n, m);
	assert_int_equal(n, 775);
	/* Some 3.3 bytes a sample, and a fixed part. */
	assert_true(bytes < 775 * 6);
	free(data);
	profile_free(back);
	profile_free(profile);
}

static void test_timeline__is_thinned_without_losing_weight(void **state)
{
	struct profile *profile = fixture_timeline();
	struct instant instant = {.weight_ns = 4 * FIXTURE_MS};
	size_t n;

	(void)state;
	profile->timeline.most = 100000;
	for (unsigned i = 0; i < 200000; i++) {
		instant.time_ns = FIXTURE_BEGAN_NS + i * UINT64_C(4000000);
		instant.sample = i / 7 % 4;
		assert_int_equal(timeline_add(profile, &instant), 0);
		assert_true(profile->timeline.bytes < 130000);
	}
	assert_int_equal(profile->timeline.most, 100000);
	assert_int_equal(weight_of(profile, &n), (200000 + 775) * UINT64_C(4000000));
	assert_true(n < 60000);
	assert_int_equal(n, timeline_instants(profile));
	profile_free(profile);
}

static void test_timeline__merges_by_the_clock(void **state)
{
	struct profile *profile = fixture_timeline(), *other = fixture_timeline(), *none;
	uint64_t first, last;

	(void)state;
	/* The other profile began a second earlier, by the clock. */
	profile_set_time(other, FIXTURE_BEGAN_NS - 1000 * (uint64_t)FIXTURE_MS, 3000000000);
	assert_int_equal(profile_merge(profile, other), 0);
	assert_true(timeline_bounds(profile, &first, &last));
	assert_int_equal(first, 1002 * (uint64_t)FIXTURE_MS);
	assert_int_equal(timeline_instants(profile), 2 * 775);
	/* A time line of one profile would have a gap: the merged profile has none. */
	none = fixture_profile();
	assert_int_equal(profile_merge(profile, none), 0);
	assert_int_equal(timeline_instants(profile), 0);
	assert_false(timeline_bounds(profile, &first, &last));
	profile_free(none);
	profile_free(other);
	profile_free(profile);
}

static void test_timeline__refuses_what_is_not_there(void **state)
{
	struct profile *profile = fixture_timeline(), *part;
	struct instant instant = {.sample = 5, .weight_ns = 1};

	(void)state;
	assert_int_equal(timeline_add(profile, &instant), -EINVAL);
	instant = (struct instant){.weight_ns = UINT64_MAX};
	assert_int_equal(timeline_add(profile, &instant), -EINVAL);
	instant.weight_ns = 0;
	assert_int_equal(timeline_add(profile, &instant), 0);
	assert_int_equal(timeline_instants(profile), 775);
	timeline_forget(profile);
	assert_int_equal(timeline_span(profile, 0, 1, &part), -ENODATA);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code__is_as_its_header_says),
		cmocka_unit_test(test_code__takes_whatever_comes),
		cmocka_unit_test(test_span__spans_are_all_together),
		cmocka_unit_test(test_span__a_wait_lies_before_its_end),
		cmocka_unit_test(test_timeline__a_part_has_the_main_mapping),
		cmocka_unit_test(test_timeline__comes_back_from_a_file),
		cmocka_unit_test(test_timeline__is_thinned_without_losing_weight),
		cmocka_unit_test(test_timeline__merges_by_the_clock),
		cmocka_unit_test(test_timeline__refuses_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
