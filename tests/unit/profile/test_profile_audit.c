/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/audit.h"
#include "tests/unit/profile_fixture.h"

/* `sprofreport summary` promises at least these. */
static const char *const promised[] = {"samples", "period_ns", "profiled_cpu_ns",
	"unattributed_cpu_ns", "kernel_cpu_ns", "wall_ns", "stops", "stop_ns_p50", "stop_ns_p99",
	"stop_ns_max", "stopped_ns", "cost_ns", "cost_pct", "lost_samples", "truncated_stacks",
	"unresolved_samples", "processes", "threads", "supervisor_cpu_ns", "analyst_cpu_ns",
	"repaired_calls", "unrepaired_eintr", "found_ratio", "late_instants", "instants",
	"realtime", "effective_samples"};

static void test_profile_audit__knows_the_promised_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(promised) / sizeof(*promised); i++) {
		const struct audit_key *key = audit_key_find(promised[i]);

		assert_non_null(key);
		assert_false(key->extra);
		assert_true(strlen(key->meaning) > 5);
		assert_int_equal(key->unit == AUDIT_NS, strstr(key->key, "_ns") != NULL);
	}
	assert_null(audit_key_find("no_such_figure"));
}

static void test_profile_audit__derives_what_the_model_tells(void **state)
{
	static const struct {
		const char *key;
		uint64_t value;
	} expected[] = {
		{"samples", 100},
		{"profiled_cpu_ns", 400 * FIXTURE_MS},
		{"unattributed_cpu_ns", 4 * FIXTURE_MS},
		{"unresolved_samples", 10},
		{"processes", 1},
		{"threads", 2},
		{"wall_ns", 1000 * FIXTURE_MS},
		{"period_ns", 4 * FIXTURE_MS},
	};
	struct profile *profile = fixture_profile();
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(audit_figure(profile, expected[i].key, &value));
		assert_int_equal(value, expected[i].value);
	}
	/* A figure in the file has precedence; without any source it is unknown. */
	assert_int_equal(profile_set_audit(profile, "samples", 101), 0);
	assert_true(audit_figure(profile, "samples", &value));
	assert_int_equal(value, 101);
	assert_false(audit_figure(profile, "repaired_calls", &value));
	profile_free(profile);
}

static void set(struct profile *profile, const char *key, uint64_t value)
{
	assert_int_equal(profile_set_audit(profile, key, value), 0);
}

/*
 * 396 of 404 ms were found, in 100 samples: 102.02 are expected. The error with several threads is
 * sqrt(1 / 102.02 + 1 / 102.02^2) = 0.09949. With one thread, a hit at 100 of 125 instants, it is
 * sqrt(0.2 / 102.02 + 1 / 102.02^2) = 0.04535.
 */
static void test_profile_audit__tells_what_was_found(void **state)
{
	struct profile *profile = fixture_profile();
	struct audit_found found;
	uint64_t value;

	(void)state;
	assert_true(audit_figure(profile, "found_ratio", &value));
	assert_int_equal(value, 9802);
	assert_true(audit_found(profile, &found));
	assert_true(fabs(found.ratio - 396.0 / 404) < 1e-9);
	assert_true(fabs(found.error - 0.09949) < 1e-5);
	set(profile, "threads", 1);
	assert_true(audit_found(profile, &found));
	assert_true(fabs(found.error - 0.04535) < 1e-5);
	assert_true(fabs(found.late - 1.0 / 125) < 1e-9);
	assert_int_equal(found.realtime, 1);
	assert_false(found.is_off);
	/* With many samples, 12 % too few are more than 3 errors; 1 % is never off. */
	set(profile, "found_ns", 356 * FIXTURE_MS);
	assert_true(audit_found(profile, &found));
	assert_false(found.is_off);
	set(profile, "effective_samples", 10000);
	assert_true(audit_found(profile, &found));
	assert_true(found.is_off);
	set(profile, "found_ns", 400 * FIXTURE_MS);
	set(profile, "effective_samples", 100000000);
	assert_true(audit_found(profile, &found));
	assert_false(found.is_off);
	/* 0 of 404 ms (101 periods) is off; 0.04 ms, a hundredth of a period, says nothing. */
	set(profile, "found_ns", 0);
	assert_true(audit_found(profile, &found));
	assert_true(found.is_off && !found.says_nothing);
	set(profile, "found_ns", 4 * FIXTURE_MS);
	set(profile, "kernel_cpu_ns", FIXTURE_MS / 25);
	set(profile, "effective_samples", 1);
	assert_true(audit_found(profile, &found));
	assert_true(!found.is_off && found.says_nothing);
	profile_free(profile);
}

/* Files of older versions have no such figures. */
static void test_profile_audit__nothing_is_found_without_figures(void **state)
{
	struct audit_found found;
	struct profile *profile;
	uint64_t value;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	set(profile, "kernel_cpu_ns", 5);
	assert_false(audit_found(profile, &found));
	assert_false(audit_figure(profile, "found_ratio", &value));
	set(profile, "found_ns", 5);
	assert_true(audit_found(profile, &found));
	assert_true(found.realtime == -1 && found.late < 0 && found.says_nothing);
	set(profile, "kernel_cpu_ns", 0);
	assert_false(audit_found(profile, &found));
	profile_free(profile);
}

static void test_profile_audit__found_is_merged_by_its_parts(void **state)
{
	struct profile *into = fixture_profile(), *from = fixture_profile();
	uint64_t value;

	(void)state;
	set(from, "found_ns", 202 * FIXTURE_MS);
	set(from, "realtime", 0);
	set(from, "instants", 75);
	set(from, "late_instants", 9);
	assert_int_equal(profile_merge(into, from), 0);
	assert_true(audit_figure(into, "found_ratio", &value));
	assert_int_equal(value, 7401); /* 598 / 808 in units of 1 / 10000 */
	assert_true(audit_figure(into, "instants", &value) && value == 200);
	assert_true(audit_figure(into, "late_instants", &value) && value == 10);
	assert_true(audit_figure(into, "realtime", &value) && value == 0);
	profile_free(from);
	/* One profile lacks the figure. */
	assert_int_equal(profile_new(&from), 0);
	set(from, "kernel_cpu_ns", 5);
	assert_int_equal(profile_merge(into, from), 0);
	assert_false(audit_figure(into, "found_ratio", &value));
	assert_false(audit_figure(into, "realtime", &value));
	profile_free(from);
	profile_free(into);
}

/*
 * File @number of a recording: 5 processes and 9 threads, of which 3 and 7 were in the previous
 * file, if there was one.
 */
static struct profile *file_of_run(uint64_t recording, uint64_t number)
{
	struct profile *profile = fixture_profile();

	assert_int_equal(profile_set_audit(profile, "processes", 5), 0);
	assert_int_equal(profile_set_audit(profile, "threads", 9), 0);
	assert_int_equal(profile_set_audit(profile, "recording", recording), 0);
	assert_int_equal(profile_set_audit(profile, "recording_file", number), 0);
	assert_int_equal(profile_set_audit(profile, "continued_processes", number > 1 ? 3 : 0), 0);
	assert_int_equal(profile_set_audit(profile, "continued_threads", number > 1 ? 7 : 0), 0);
	return profile;
}

static void test_profile_audit__counts_a_process_once_in_files_of_a_run(void **state)
{
	static const struct {
		uint64_t file[4][2]; /* the run of each file, and the file's number in it */
		uint64_t processes, threads;
	} cases[] = {
		{{{1, 1}}, 5, 9},
		{{{1, 1}, {1, 2}}, 7, 11},
		{{{1, 2}, {1, 1}}, 7, 11},
		{{{1, 3}, {1, 4}}, 7, 11},
		{{{1, 3}, {1, 1}, {1, 4}, {1, 2}}, 11, 15},
		{{{1, 1}, {1, 2}, {2, 5}, {2, 6}}, 14, 22},
		{{{1, 1}, {2, 1}}, 10, 18},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *sum;
		uint64_t processes = 0, threads = 0;

		assert_int_equal(profile_new(&sum), 0);
		for (size_t j = 0; j < 4 && cases[i].file[j][0]; j++) {
			struct profile *file =
				file_of_run(cases[i].file[j][0], cases[i].file[j][1]);

			assert_int_equal(profile_merge(sum, file), 0);
			profile_free(file);
		}
		assert_true(audit_figure(sum, "processes", &processes));
		assert_true(audit_figure(sum, "threads", &threads));
		assert_int_equal(processes, cases[i].processes);
		assert_int_equal(threads, cases[i].threads);
		profile_free(sum);
	}
}

static void test_profile_audit__of_a_bare_profile_is_not_known(void **state)
{
	struct profile *profile;
	uint64_t value;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_false(audit_figure(profile, "period_ns", &value));
	assert_false(audit_figure(profile, "wall_ns", &value));
	assert_false(audit_figure(profile, "processes", &value));
	assert_true(audit_figure(profile, "samples", &value));
	assert_int_equal(value, 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_audit__knows_the_promised_keys),
		cmocka_unit_test(test_profile_audit__derives_what_the_model_tells),
		cmocka_unit_test(test_profile_audit__tells_what_was_found),
		cmocka_unit_test(test_profile_audit__nothing_is_found_without_figures),
		cmocka_unit_test(test_profile_audit__found_is_merged_by_its_parts),
		cmocka_unit_test(test_profile_audit__counts_a_process_once_in_files_of_a_run),
		cmocka_unit_test(test_profile_audit__of_a_bare_profile_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
