/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/profile_fixture.h"

static int64_t sum_of(const struct profile *profile, uint32_t pid, bool all)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		if (all || profile_task(profile, sample.task).pid == pid)
			sum += sample.value[VALUE_CPU_NS];
	}
	return sum;
}

static void test_split__takes_the_samples_of_one_process(void **state)
{
	struct profile *from = fixture_profile();
	int64_t together = 0;

	(void)state;
	for (size_t t = 0; t < profile_tasks(from); t++) {
		uint32_t pid = profile_task(from, t).pid;
		struct profile *part;
		bool seen = false;

		for (size_t i = 0; i < t; i++)
			seen |= profile_task(from, i).pid == pid;
		if (seen)
			continue;
		assert_int_equal(profile_split(from, pid, &part), 0);
		assert_true(sum_of(part, 0, true) == sum_of(from, pid, false));
		together += sum_of(part, 0, true);
		for (size_t i = 0; i < profile_tasks(part); i++)
			assert_int_equal(profile_task(part, i).pid, pid);
		assert_string_equal(profile_command(part), profile_command(from));
		assert_int_equal(profile_notes(part), profile_notes(from));
		assert_int_equal(profile_audits(part), 0);
		assert_true(profile_locations(part) <= profile_locations(from));
		profile_free(part);
	}
	assert_true(together == sum_of(from, 0, true));
	profile_free(from);
}

static void test_split__keeps_stacks_and_names(void **state)
{
	struct profile *from = fixture_profile(), *part;
	size_t at = 0;

	(void)state;
	assert_int_equal(profile_add_value_type(from, "wall", "nanoseconds"), 2);
	profile_set_default_value(from, 2);
	assert_int_equal(profile_split(from, profile_task(from, 0).pid, &part), 0);
	assert_int_equal(profile_default_value(part), 2);
	for (size_t i = 0; i < profile_samples(from); i++) {
		struct sample a = profile_sample(from, i), b;

		if (profile_task(from, a.task).pid != profile_task(from, 0).pid)
			continue;
		b = profile_sample(part, at++);
		assert_int_equal(a.n, b.n);
		for (size_t k = 0; k < a.n; k++) {
			struct location x = profile_location(from, a.location[k]);
			struct location y = profile_location(part, b.location[k]);

			assert_true(x.address == y.address);
			assert_int_equal(x.lines, y.lines);
			assert_string_equal(profile_mapping(from, x.mapping).file,
				profile_mapping(part, y.mapping).file);
			for (size_t l = 0; l < x.lines; l++)
				assert_string_equal(profile_function(from, x.line[l].function).name,
					profile_function(part, y.line[l].function).name);
		}
	}
	assert_int_equal(at, profile_samples(part));
	profile_free(part);
	profile_free(from);
}

static void test_split__of_an_unknown_process_is_empty(void **state)
{
	struct profile *from = fixture_profile(), *part;

	(void)state;
	assert_int_equal(profile_split(from, 4000000000, &part), 0);
	assert_int_equal(profile_samples(part), 0);
	assert_int_equal(profile_mappings(part), 0);
	profile_free(part);
	profile_free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split__takes_the_samples_of_one_process),
		cmocka_unit_test(test_split__keeps_stacks_and_names),
		cmocka_unit_test(test_split__of_an_unknown_process_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
