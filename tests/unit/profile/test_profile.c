/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/profile_fixture.h"

static void test_profile__finds_equal_things_again(void **state)
{
	struct profile *p = fixture_profile();
	struct mapping lib = {.file = "/usr/lib/libfoo.so.1", .build_id = "bb02", .start = 0x2000};
	struct function walk = {"walk", "walk", "src/walk.c", 30};
	struct task worker = {100, 101, "demo", "worker"};

	(void)state;
	assert_int_equal(profile_add_mapping(p, &lib), 1);
	assert_int_equal(profile_add_function(p, &walk), 3);
	assert_int_equal(profile_add_location(p, 1, 0x2345), 3);
	assert_int_equal(profile_add_task(p, &worker), 1);
	/* Another build-id, line, address or tid makes another item. */
	lib.build_id = "bb03";
	walk.line = 31;
	worker.tid = 102;
	assert_int_equal(profile_add_mapping(p, &lib), 2);
	/* There are six functions and locations, as [unsampled] has one of each. */
	assert_int_equal(profile_add_function(p, &walk), 6);
	assert_int_equal(profile_add_location(p, 1, 0x2346), 6);
	assert_int_equal(profile_add_task(p, &worker), 2);
	profile_free(p);
}

static void test_profile__a_renamed_process_is_found(void **state)
{
	struct profile *p = fixture_profile();
	struct task worker = {100, 101, "demo: serves", "worker"};

	(void)state;
	assert_int_equal(profile_rename_process(p, 7, "demo", "demo: serves"), 0);
	assert_int_equal(profile_rename_process(p, 100, "other", "demo: serves"), 0);
	assert_string_equal(profile_task(p, 1).process, "demo");
	assert_int_equal(profile_rename_process(p, 100, "demo", "demo: serves"), 0);
	for (size_t i = 0; i < profile_tasks(p); i++)
		assert_string_equal(profile_task(p, i).process, "demo: serves");
	assert_int_equal(profile_add_task(p, &worker), 1);
	/* Another process name makes another task. */
	worker.process = "demo";
	assert_true(profile_add_task(p, &worker) > 1);
	profile_free(p);
}

static void test_profile__sums_equal_stacks(void **state)
{
	struct profile *p = fixture_profile();
	size_t samples = profile_samples(p);
	struct sample first;

	(void)state;
	fixture_add(p, 0, (uint32_t[]){1, 0}, 2, 7);
	assert_int_equal(profile_samples(p), samples);
	first = profile_sample(p, 0);
	assert_int_equal(first.value[VALUE_SAMPLES], 57);
	assert_int_equal(first.value[VALUE_CPU_NS], 228 * FIXTURE_MS);
	/* Another thread's stack, and a shorter one, are other stacks. */
	fixture_add(p, 1, (uint32_t[]){1, 0}, 2, 1);
	fixture_add(p, 0, (uint32_t[]){1}, 1, 1);
	fixture_add(p, 0, NULL, 0, 1);
	assert_int_equal(profile_samples(p), samples + 3);
	profile_free(p);
}

static void test_profile__sums_stay_in_range(void **state)
{
	struct profile *p = fixture_profile();
	int64_t most[VALUE_TYPES_MAX] = {INT64_MAX, INT64_MAX};
	uint32_t leaf = 2;

	(void)state;
	assert_int_equal(profile_add_sample(p, 0, &leaf, 1, most), 0);
	assert_int_equal(profile_add_sample(p, 0, &leaf, 1, most), 0);
	assert_true(profile_sample(p, profile_samples(p) - 1).value[0] == INT64_MAX);
	profile_free(p);
}

static void test_profile__refuses_wrong_indexes(void **state)
{
	struct profile *p = fixture_profile();
	int64_t values[VALUE_TYPES_MAX] = {1, 1};
	struct location_line line = {99, 1};
	uint32_t leaf = 99;

	(void)state;
	assert_int_equal(profile_add_sample(p, 0, &leaf, 1, values), -EINVAL);
	leaf = 0;
	assert_int_equal(profile_add_sample(p, 2, &leaf, 1, values), -EINVAL);
	assert_int_equal(profile_add_location(p, 2, 1), -EINVAL);
	assert_int_equal(profile_set_lines(p, 99, &line, 1), -EINVAL);
	assert_int_equal(profile_set_lines(p, 0, &line, 1), -EINVAL);
	assert_int_equal(profile_set_audit(p, "two words", 1), -EINVAL);
	assert_int_equal(profile_set_audit(p, "", 1), -EINVAL);
	profile_free(p);
}

static void test_profile__a_new_value_type_is_0_in_old_stacks(void **state)
{
	struct profile *p = fixture_profile();
	int64_t values[VALUE_TYPES_MAX] = {1, 2, 3};
	uint32_t leaf = 0;

	(void)state;
	assert_int_equal(profile_add_value_type(p, "cpu", "nanoseconds"), VALUE_CPU_NS);
	assert_int_equal(profile_add_value_type(p, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_sample(p, 0, &leaf, 1, values), 0);
	assert_int_equal(profile_sample(p, 1).value[0], 25);
	assert_int_equal(profile_sample(p, 1).value[1], 100 * FIXTURE_MS);
	assert_int_equal(profile_sample(p, 1).value[2], 0);
	assert_int_equal(profile_sample(p, profile_samples(p) - 1).value[2], 3);
	for (int i = 3; i < VALUE_TYPES_MAX; i++) {
		char name[8];

		(void)snprintf(name, sizeof(name), "v%d", i);
		assert_int_equal(profile_add_value_type(p, name, "count"), i);
	}
	assert_int_equal(profile_add_value_type(p, "more", "count"), -ENOSPC);
	profile_free(p);
}

static void test_profile__lines_are_replaced_and_tell_the_mapping(void **state)
{
	struct profile *p = fixture_profile();
	struct location location;

	(void)state;
	assert_true(profile_mapping(p, 0).has_inlines);
	assert_true(profile_mapping(p, 1).has_functions);
	assert_false(profile_mapping(p, 1).has_inlines);
	assert_int_equal(profile_set_lines(p, 3, (struct location_line[]){{4, 1}, {3, 2}}, 2), 0);
	location = profile_location(p, 3);
	assert_int_equal(location.lines, 2);
	assert_int_equal(location.line[1].function, 3);
	assert_true(profile_mapping(p, 1).has_inlines);
	assert_int_equal(profile_set_lines(p, 3, NULL, 0), 0);
	assert_int_equal(profile_location(p, 3).lines, 0);
	assert_int_equal(profile_add_location(p, 1, 0x2345), 3);
	profile_free(p);
}

static void test_profile__named_locations_differ_by_their_names(void **state)
{
	struct profile *p = fixture_profile();
	struct location_line a = {0, 1}, b = {1, 1};
	int first = profile_add_named_location(p, 0, 0, &a, 1);
	int second = profile_add_named_location(p, 0, 0, &b, 1);

	(void)state;
	assert_true(first >= 0 && second > first);
	assert_int_equal(profile_add_named_location(p, 0, 0, &a, 1), first);
	/* The unnamed location at address 0 is another one. */
	assert_true(profile_add_location(p, 0, 0) > second);
	/* After a change of lines, the new names count. */
	assert_int_equal(profile_set_lines(p, (uint32_t)first, &b, 1), 0);
	assert_true(profile_add_named_location(p, 0, 0, &a, 1) > second + 1);
	/* A named location with an address is also found by that address. */
	first = profile_add_named_location(p, 0, 0x1999, &a, 1);
	assert_int_equal(profile_add_location(p, 0, 0x1999), first);
	profile_free(p);
}

static void test_profile__separate_locations_are_never_found(void **state)
{
	struct profile *p = fixture_profile(), *merged;
	struct location_line a = {0, 1}, b = {1, 1};
	int first = profile_add_separate_location(p, 0, 0x1999);
	int second = profile_add_separate_location(p, 0, 0x1999);
	size_t locations;

	(void)state;
	assert_true(first >= 0 && second > first);
	assert_int_equal(profile_add_separate_location(p, 99, 0x1999), -EINVAL);
	assert_int_equal(profile_set_lines(p, (uint32_t)first, &a, 1), 0);
	assert_int_equal(profile_set_lines(p, (uint32_t)second, &b, 1), 0);
	assert_int_equal(profile_location(p, (size_t)first).line[0].function, 0);
	assert_int_equal(profile_location(p, (size_t)second).line[0].function, 1);
	assert_true(profile_add_location(p, 0, 0x1999) > second);
	assert_true(profile_add_named_location(p, 0, 0x1999, &a, 1) > second + 1);
	/* A merge tells locations apart by their lines, so the last one becomes the first. */
	locations = profile_locations(p);
	assert_int_equal(profile_new(&merged), 0);
	assert_int_equal(profile_merge(merged, p), 0);
	assert_int_equal(profile_locations(merged), locations - 1);
	profile_free(merged);
	profile_free(p);
}

static void test_profile__unsampled_is_a_row_of_its_executable(void **state)
{
	struct profile *p = fixture_profile();
	struct sample sample = profile_sample(p, 4);

	(void)state;
	assert_true(profile_is_unsampled(p, &sample));
	assert_int_equal(sample.value[VALUE_SAMPLES], 0);
	assert_int_equal(sample.value[VALUE_CPU_NS], 4 * FIXTURE_MS);
	assert_int_equal(profile_location(p, sample.location[0]).mapping, 0);
	sample = profile_sample(p, 0);
	assert_false(profile_is_unsampled(p, &sample));
	assert_int_equal(profile_add_unsampled(p, 0, 0, FIXTURE_MS), 0);
	assert_int_equal(profile_sample(p, 4).value[VALUE_CPU_NS], 5 * FIXTURE_MS);
	profile_free(p);
}

static void test_profile__keeps_audit_and_notes(void **state)
{
	struct profile *p = fixture_profile();
	uint64_t value = 0;

	(void)state;
	assert_true(profile_audit(p, "stops", &value));
	assert_int_equal(value, 120);
	assert_int_equal(profile_set_audit(p, "stops", 121), 0);
	assert_true(profile_audit(p, "stops", &value));
	assert_int_equal(value, 121);
	assert_false(profile_audit(p, "no_such_figure", &value));
	assert_int_equal(profile_notes(p), 1);
	assert_int_equal(profile_add_note(p, "made by hand"), 0);
	assert_int_equal(profile_notes(p), 1);
	assert_int_equal(profile_add_note(p, "another"), 0);
	assert_string_equal(profile_note(p, 1), "another");
	for (size_t i = profile_audits(p); i < PROFILE_AUDITS_MAX; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "key%zu", i);
		assert_int_equal(profile_set_audit(p, key, 1), 0);
	}
	assert_int_equal(profile_set_audit(p, "one_more", 1), -ENOSPC);
	profile_free(p);
}

static void test_profile__command_is_quoted_for_a_shell(void **state)
{
	static const char args[] = "sh\0-c\0echo it's \"$HOME\"\0\0a=b\0'";
	struct profile *p = fixture_profile();

	(void)state;
	assert_int_equal(profile_set_command_args(p, args, sizeof(args)), 0);
	assert_string_equal(profile_command(p), "sh -c 'echo it'\\''s \"$HOME\"' '' a=b ''\\'''");
	/* The last argument may lack its NUL. */
	assert_int_equal(profile_set_command_args(p, "xz\0-9", 5), 0);
	assert_string_equal(profile_command(p), "xz -9");
	assert_int_equal(profile_set_command_args(p, "", 0), 0);
	assert_string_equal(profile_command(p), "");
	profile_free(p);
}

/* Every table grows many times; each item is still found. */
static void test_profile__holds_many_things(void **state)
{
	enum { MANY = 20000 };
	struct profile *p = fixture_profile();
	uint32_t first = (uint32_t)profile_locations(p);
	size_t samples = profile_samples(p);

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++) {
			char name[16];
			uint32_t stack[2];

			(void)snprintf(name, sizeof(name), "f%u", i);
			assert_int_equal(
				profile_add_function(p, &(struct function){name, name, "", 0}),
				i + 6);
			stack[0] = fixture_index(profile_add_location(p, 0, 0x10000 + i));
			assert_int_equal(stack[0], first + i);
			stack[1] = i % 5;
			fixture_add(p, 0, stack, 2, 1);
		}
	}
	assert_int_equal(profile_samples(p), samples + MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(profile_sample(p, samples + i).value[0], 2);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile__finds_equal_things_again),
		cmocka_unit_test(test_profile__a_renamed_process_is_found),
		cmocka_unit_test(test_profile__sums_equal_stacks),
		cmocka_unit_test(test_profile__sums_stay_in_range),
		cmocka_unit_test(test_profile__refuses_wrong_indexes),
		cmocka_unit_test(test_profile__a_new_value_type_is_0_in_old_stacks),
		cmocka_unit_test(test_profile__lines_are_replaced_and_tell_the_mapping),
		cmocka_unit_test(test_profile__named_locations_differ_by_their_names),
		cmocka_unit_test(test_profile__separate_locations_are_never_found),
		cmocka_unit_test(test_profile__unsampled_is_a_row_of_its_executable),
		cmocka_unit_test(test_profile__keeps_audit_and_notes),
		cmocka_unit_test(test_profile__command_is_quoted_for_a_shell),
		cmocka_unit_test(test_profile__holds_many_things),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
