/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "view/report/dump_text.h"

static void add_thread(struct profile *profile, uint32_t tid, int64_t stopped)
{
	int task = profile_add_task(
		profile, &(struct task){.pid = 7, .tid = tid, .process = "race", .thread = "race"});
	const int64_t values[VALUE_TYPES_MAX] = {1, 0, stopped};

	assert_true(task >= 0);
	assert_int_equal(profile_add_sample(profile, (uint32_t)task, NULL, 0, values), 0);
}

static void test_dump_text__stop_has_a_fitting_unit(void **state)
{
	struct profile *profile;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_value_type(profile, PROFILE_STOPPED, "nanoseconds"), 2);
	add_thread(profile, 7, 86000);
	add_thread(profile, 8, 2345678);
	add_thread(profile, 9, PROFILE_NOT_STOPPED);
	assert_int_equal(dump_text_print(profile, out), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text,
		"thread 7 (race), stopped for 86 us\n\n"
		"thread 8 of 7 (race), stopped for 2.35 ms\n\n"
		"thread 9 of 7 (race), asleep, not stopped\n");
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump_text__stop_has_a_fitting_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
