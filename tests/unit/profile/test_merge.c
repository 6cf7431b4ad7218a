/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/audit.h"
#include "profile/foreign.h"
#include "tests/unit/profile_fixture.h"

static uint64_t figure(const struct profile *profile, const char *key)
{
	uint64_t value = 0;

	assert_true(audit_figure(profile, key, &value));
	return value;
}

static void test_merge__of_a_profile_with_itself_doubles_it(void **state)
{
	struct profile *into = fixture_profile(), *from = fixture_profile();
	struct profile *once = fixture_profile();

	(void)state;
	assert_int_equal(profile_merge(into, into), -EINVAL);
	assert_int_equal(profile_merge(into, from), 0);
	assert_int_equal(profile_mappings(into), profile_mappings(once));
	assert_int_equal(profile_functions(into), profile_functions(once));
	assert_int_equal(profile_locations(into), profile_locations(once));
	assert_int_equal(profile_tasks(into), profile_tasks(once));
	assert_int_equal(profile_samples(into), profile_samples(once));
	for (size_t i = 0; i < profile_samples(once); i++) {
		for (size_t j = 0; j < 2; j++)
			assert_int_equal(profile_sample(into, i).value[j],
				2 * profile_sample(once, i).value[j]);
	}
	assert_int_equal(profile_notes(into), 1);
	assert_int_equal(profile_duration_ns(into), 2 * profile_duration_ns(once));
	assert_int_equal(profile_period_ns(into), profile_period_ns(once));
	assert_true(profile_realtime_ns(into) == profile_realtime_ns(once));
	profile_free(into);
	profile_free(from);
	profile_free(once);
}

static void test_merge__combines_figures_by_their_kind(void **state)
{
	struct profile *into = fixture_profile(), *from = fixture_profile();

	(void)state;
	/* 120 stops with a p50 of 21 us, 40 with one of 61 us */
	assert_int_equal(profile_set_audit(from, "stops", 40), 0);
	assert_int_equal(profile_set_audit(from, "stop_ns_p50", 61000), 0);
	assert_int_equal(profile_set_audit(from, "stop_ns_max", 90000), 0);
	assert_int_equal(profile_set_audit(from, "queue_ns_max", 5), 0);
	assert_int_equal(profile_set_audit(from, "wakeups", 3), 0);
	assert_int_equal(profile_set_audit(into, "wakeups", 4), 0);
	assert_int_equal(profile_merge(into, from), 0);
	assert_int_equal(figure(into, "stops"), 160);
	assert_int_equal(figure(into, "stop_ns_p50"), 31000);
	assert_int_equal(figure(into, "stop_ns_max"), 412000);
	assert_int_equal(figure(into, "kernel_cpu_ns"), 808 * FIXTURE_MS);
	assert_int_equal(figure(into, "lost_samples"), 2);
	assert_int_equal(figure(into, "queue_ns_max"), 5);
	assert_int_equal(figure(into, "wakeups"), 7);
	/* Samples of both have equal weights. */
	assert_int_equal(figure(into, "effective_samples"), 200);
	profile_free(into);
	profile_free(from);
}

/* 100 samples of weight 1, 100 of 9: 1000^2 / 8200 = 122 effective samples. */
static void test_merge__effective_samples_follow_from_the_weights(void **state)
{
	struct profile *half[2];
	int64_t values[2][VALUE_TYPES_MAX] = {{100, 100}, {100, 900}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct mapping mapping = {.file = "a"};
		struct task task = {1, 1, "a", "a"};
		uint32_t leaf = 0;

		assert_int_equal(profile_new(&half[i]), 0);
		assert_int_equal(profile_add_mapping(half[i], &mapping), 0);
		assert_int_equal(profile_add_task(half[i], &task), 0);
		assert_int_equal(profile_add_location(half[i], 0, 0x1000), 0);
		assert_int_equal(profile_add_sample(half[i], 0, &leaf, 1, values[i]), 0);
		assert_int_equal(profile_set_audit(half[i], "effective_samples", 100), 0);
	}
	assert_int_equal(profile_merge(half[0], half[1]), 0);
	assert_int_equal(figure(half[0], "effective_samples"), 122);
	profile_free(half[0]);
	profile_free(half[1]);
}

static void test_merge__into_an_empty_one_is_a_copy(void **state)
{
	struct profile *into, *from = fixture_profile();

	(void)state;
	assert_int_equal(profile_new(&into), 0);
	assert_int_equal(profile_merge(into, from), 0);
	for (size_t i = 0; i < profile_audits(from); i++) {
		const char *key;
		uint64_t value;

		profile_audit_at(from, i, &key, &value);
		assert_int_equal(figure(into, key), value);
	}
	assert_int_equal(figure(into, "samples"), 100);
	assert_string_equal(profile_command(into), "demo --fast");
	profile_free(into);
	profile_free(from);
}

/* A figure of the kernel that one profile lacks is dropped; derived figures stay. */
static void test_merge__with_a_profile_without_audit(void **state)
{
	struct profile *into = fixture_profile(), *from = fixture_profile(), *bare;
	uint64_t value;

	(void)state;
	assert_int_equal(profile_new(&bare), 0);
	assert_int_equal(profile_merge(bare, from), 0);
	profile_free(from);
	assert_int_equal(profile_new(&from), 0);
	assert_int_equal(profile_add_mapping(from, &(struct mapping){.file = "b"}), 0);
	assert_int_equal(profile_add_task(from, &(struct task){0}), 0);
	assert_int_equal(profile_add_location(from, 0, 1), 0);
	fixture_add(from, 0, (uint32_t[]){0}, 1, 10);
	assert_int_equal(profile_set_command(from, "other"), 0);
	profile_set_period(from, 1000);

	assert_int_equal(profile_set_audit(into, "samples", 100), 0);
	assert_int_equal(profile_merge(into, from), 0);
	assert_false(profile_audit(into, "kernel_cpu_ns", &value));
	assert_int_equal(figure(into, "samples"), 110);
	assert_int_equal(figure(into, "profiled_cpu_ns"), 440 * FIXTURE_MS);
	assert_int_equal(figure(into, "unresolved_samples"), 20);
	assert_int_equal(figure(into, "effective_samples"), 110);
	assert_string_equal(profile_command(into), "demo --fast");
	assert_int_equal(profile_notes(into), 3);
	assert_non_null(strstr(profile_note(into, 1), "other"));
	assert_non_null(strstr(profile_note(into, 2), "rates"));
	/* There is no common rate, even if a third profile has the rate of one of them. */
	assert_int_equal(profile_period_ns(into), 0);
	assert_int_equal(profile_merge(into, from), 0);
	assert_int_equal(profile_period_ns(into), 0);
	assert_false(audit_figure(into, "period_ns", &value));

	/* The same holds if the profile without the kernel's figure takes the other. */
	assert_int_equal(profile_merge(from, bare), 0);
	assert_false(profile_audit(from, "kernel_cpu_ns", &value));
	assert_int_equal(figure(from, "samples"), 110);
	profile_free(into);
	profile_free(from);
	profile_free(bare);
}

static void test_merge__keeps_values_by_their_type(void **state)
{
	struct profile *into = fixture_profile(), *from = fixture_profile();
	int64_t values[VALUE_TYPES_MAX] = {1, 2, 3};
	uint32_t leaf = 0;
	struct sample last;

	(void)state;
	assert_int_equal(profile_add_value_type(into, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_value_type(from, "faults", "count"), 2);
	assert_int_equal(profile_add_sample(from, 0, &leaf, 1, values), 0);
	assert_int_equal(profile_merge(into, from), 0);
	assert_int_equal(profile_value_types(into), 4);
	last = profile_sample(into, profile_samples(into) - 1);
	assert_int_equal(last.value[2], 0);
	assert_int_equal(last.value[3], 3);
	profile_free(into);
	profile_free(from);
}

/* A field without a meaning in the model stays if all profiles agree on it. */
static void test_merge__keeps_fields_of_others_that_agree(void **state)
{
	const struct foreign all = {"space", "bytes", 512, "drop", "keep", "url"};
	struct foreign other[] = {all, all, all, all, all, all, {"", "", 0, "", "", ""}}, got;
	unsigned fields = sizeof(other) / sizeof(*other);

	(void)state;
	other[0].period = 511;
	other[1].period_type = "cpu";
	other[2].period_unit = "pages";
	other[3].drop_frames = "x";
	other[4].keep_frames = "";
	other[5].doc_url = "y";
	for (unsigned i = 0; i < fields; i++) {
		struct profile *into, *empty, *from = fixture_profile();

		assert_int_equal(profile_new(&into), 0);
		assert_int_equal(profile_new(&empty), 0);
		assert_int_equal(foreign_set(into, &other[i]), 0);
		assert_int_equal(foreign_set(from, &all), 0);
		/* Profiles without samples, such as the first and a later one, do not count. */
		assert_int_equal(profile_merge(into, from), 0);
		assert_int_equal(profile_merge(into, from), 0);
		assert_int_equal(profile_merge(into, empty), 0);
		assert_int_equal(profile_notes(into), 1);
		got = foreign_get(into);
		assert_string_equal(got.period_type, "space");
		assert_string_equal(got.period_unit, "bytes");
		assert_int_equal(got.period, 512);
		assert_string_equal(got.drop_frames, "drop");
		assert_string_equal(got.keep_frames, "keep");
		assert_string_equal(got.doc_url, "url");
		/* A field that differs is dropped, and later merges do not set it again. */
		assert_int_equal(foreign_set(from, &other[i]), 0);
		assert_int_equal(profile_merge(into, from), 0);
		assert_int_equal(profile_merge(into, from), 0);
		got = foreign_get(into);
		assert_string_equal(got.period_type, i < 3 || i == 6 ? "" : "space");
		assert_string_equal(got.period_unit, i < 3 || i == 6 ? "" : "bytes");
		assert_int_equal(got.period, i < 3 || i == 6 ? 0 : 512);
		assert_string_equal(got.drop_frames, i == 3 || i == 6 ? "" : "drop");
		assert_string_equal(got.keep_frames, i == 4 || i == 6 ? "" : "keep");
		assert_string_equal(got.doc_url, i == 5 || i == 6 ? "" : "url");
		assert_int_equal(profile_notes(into), i == 6 ? 5 : 2);
		profile_free(into);
		profile_free(empty);
		profile_free(from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge__of_a_profile_with_itself_doubles_it),
		cmocka_unit_test(test_merge__combines_figures_by_their_kind),
		cmocka_unit_test(test_merge__effective_samples_follow_from_the_weights),
		cmocka_unit_test(test_merge__into_an_empty_one_is_a_copy),
		cmocka_unit_test(test_merge__with_a_profile_without_audit),
		cmocka_unit_test(test_merge__keeps_values_by_their_type),
		cmocka_unit_test(test_merge__keeps_fields_of_others_that_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
