/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/foreign.h"
#include "profile/gzip.h"
#include "profile/pprof.h"
#include "tests/unit/pprof_fixture.h"
#include "tests/unit/profile_fixture.h"

static void test_pprof__gives_back_all_that_was_written(void **state)
{
	struct profile *profile = fixture_profile(), *back = round_trip(profile);

	(void)state;
	assert_same(profile, back);
	profile_free(back);
	profile_free(profile);
}

static void test_pprof__keeps_what_reports_are_about(void **state)
{
	struct profile *profile = fixture_profile(), *back;
	int64_t values[VALUE_TYPES_MAX] = {1, 2, 3};

	(void)state;
	back = round_trip(profile);
	assert_int_equal(profile_default_value(back), VALUE_CPU_NS);
	profile_free(back);
	assert_int_equal(profile_add_value_type(profile, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_sample(profile, 0, NULL, 0, values), 0);
	profile_set_default_value(profile, 2);
	back = round_trip(profile);
	assert_int_equal(profile_default_value(back), 2);
	assert_int_equal(profile_find_value_type(back, "wall"), 2);
	assert_int_equal(profile_find_value_type(back, "fish"), 3);
	profile_free(back);
	profile_free(profile);
}

static void test_pprof__keeps_extremes(void **state)
{
	struct profile *profile = fixture_profile(), *back;
	int64_t values[VALUE_TYPES_MAX] = {0, INT64_MIN, INT64_MAX, -1};
	uint32_t leaf;
	int index;

	(void)state;
	assert_int_equal(profile_add_value_type(profile, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_value_type(profile, "runqueue", "nanoseconds"), 3);
	index = profile_add_location(profile, 1, UINT64_MAX);
	assert_true(index >= 0);
	leaf = (uint32_t)index;
	assert_int_equal(profile_add_sample(profile, 1, &leaf, 1, values), 0);
	assert_int_equal(profile_add_sample(profile, 0, NULL, 0, values), 0);
	assert_int_equal(profile_set_audit(profile, "stops", UINT64_MAX), 0);
	assert_int_equal(profile_set_audit(profile, "figure_of_tomorrow", 0), 0);
	assert_int_equal(profile_add_note(profile, "two\nlines, \xff not UTF-8"), 0);
	back = round_trip(profile);
	assert_same(profile, back);
	profile_free(back);
	profile_free(profile);
}

static void test_pprof__keeps_an_empty_profile(void **state)
{
	struct profile *profile, *back;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	back = round_trip(profile);
	assert_same(profile, back);
	profile_free(back);
	profile_free(profile);
}

/* Readers take the first mapping for the main program; so does ours with others' files. */
static void test_pprof__puts_the_main_program_first(void **state)
{
	struct profile *profile, *back;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(
		profile_add_mapping(profile, &(struct mapping){.file = "/lib/libc.so"}), 0);
	assert_int_equal(
		profile_add_mapping(profile, &(struct mapping){.file = "/bin/tool-1.2"}), 1);
	assert_int_equal(
		profile_add_mapping(profile, &(struct mapping){.file = "/lib/libm.so"}), 2);
	assert_int_equal(profile_add_location(profile, 0, 0x10), 0);
	assert_int_equal(profile_add_location(profile, 1, 0x20), 1);
	assert_int_equal(profile_add_task(profile, &(struct task){1, 1, "tool", "tool"}), 0);
	fixture_add(profile, 0, (uint32_t[]){0, 1}, 2, 1);
	profile_set_main(profile, 1);
	back = round_trip(profile);
	assert_string_equal(profile_mapping(back, 0).file, "/bin/tool-1.2");
	assert_string_equal(profile_mapping(back, 1).file, "/lib/libc.so");
	assert_string_equal(profile_mapping(back, 2).file, "/lib/libm.so");
	assert_int_equal(profile_location(back, 0).mapping, 1);
	assert_int_equal(profile_location(back, 1).mapping, 0);
	profile_free(back);
	profile_free(profile);
}

/* Every beginning of a file, and every file with a changed byte, is read or refused. */
static void test_pprof__survives_truncation_and_damage(void **state)
{
	struct profile *profile = fixture_profile(), *back;
	uint8_t *data, *plain, *copy;
	size_t bytes, plain_bytes;
	bool more;

	(void)state;
	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	profile_free(profile);
	for (size_t n = 0; n < bytes; n++) {
		copy = malloc(n + 1);
		memcpy(copy, data, n);
		assert_int_equal(pprof_read(copy, n, &back, NULL), -EBADMSG);
		free(copy);
	}
	assert_int_equal(gzip_unpack(data, bytes, &plain, &plain_bytes, &more), 0);
	for (size_t n = 0; n < plain_bytes * 8; n++) {
		plain[n / 8] ^= (uint8_t)(1 << n % 8);
		back = NULL;
		if (pprof_read(plain, plain_bytes, &back, NULL) == 0)
			profile_free(back);
		plain[n / 8] ^= (uint8_t)(1 << n % 8);
	}
	free(plain);
	free(data);
}

/* Counts the comments in the format's public field, and in ours. */
static void count_comments(const struct profile *profile, size_t ret_n[2])
{
	static const uint8_t ours[] = {0xca, 0x3e}; /* field 1001, length-delimited */
	uint8_t *data, *plain;
	size_t bytes, plain_bytes;
	bool more;

	ret_n[0] = ret_n[1] = 0;
	assert_int_equal(pprof_write(profile, &data, &bytes), 0);
	assert_int_equal(gzip_unpack(data, bytes, &plain, &plain_bytes, &more), 0);
	/* The file ends with its comments: each a string (field 6) and its reference (field 13). */
	for (size_t i = 0; i + 2 < plain_bytes; i++) {
		ret_n[0] += plain[i] == (13 << 3 | 2) && plain[i + 1] == 1;
		ret_n[1] += plain[i] == ours[0] && plain[i + 1] == ours[1];
	}
	free(plain);
	free(data);
}

/* Other programs print the public comments above everything else. */
static void test_pprof__shows_others_five_comments_at_most(void **state)
{
	struct profile *profile = fixture_profile(), *back;
	size_t n[2];

	(void)state;
	count_comments(profile, n);
	assert_int_equal(n[0], 3); /* command, audit, note */
	assert_int_equal(n[1], profile_audits(profile) + profile_notes(profile));
	assert_int_equal(profile_add_note(profile, "two"), 0);
	assert_int_equal(profile_add_note(profile, "three"), 0);
	count_comments(profile, n);
	assert_int_equal(n[0], 5);
	assert_int_equal(profile_add_note(profile, "four"), 0);
	assert_int_equal(profile_add_note(profile, "five"), 0);
	count_comments(profile, n);
	assert_int_equal(n[0], 5);
	back = round_trip(profile);
	assert_same(profile, back);
	assert_int_equal(profile_notes(back), 5);
	profile_free(back);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof__gives_back_all_that_was_written),
		cmocka_unit_test(test_pprof__keeps_what_reports_are_about),
		cmocka_unit_test(test_pprof__keeps_extremes),
		cmocka_unit_test(test_pprof__keeps_an_empty_profile),
		cmocka_unit_test(test_pprof__puts_the_main_program_first),
		cmocka_unit_test(test_pprof__survives_truncation_and_damage),
		cmocka_unit_test(test_pprof__shows_others_five_comments_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
