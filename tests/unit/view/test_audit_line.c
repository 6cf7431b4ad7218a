/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/profile_fixture.h"
#include "view/report/report.h"

static char *said_of(const struct profile *profile, bool ascii)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(report_audit(profile, REPORT_AUDIT_FULL, ascii, 0, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_says(const struct profile *profile, const char *what)
{
	char *text = said_of(profile, true);

	if (!strstr(text, what))
		fail_msg("no '%s' in:\n%s", what, text);
	free(text);
}

static void assert_silent(const struct profile *profile, const char *what)
{
	char *text = said_of(profile, true);

	if (strstr(text, what))
		fail_msg("'%s' in:\n%s", what, text);
	free(text);
}

static void set(struct profile *profile, const char *key, uint64_t value)
{
	assert_int_equal(profile_set_audit(profile, key, value), 0);
}

/* 290 recorded and 337 lost: 337 of 627. 29 of the 290 have no name. */
static void test_audit_line__what_was_lost_is_a_part_of_what_was_sampled(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "samples", 290);
	set(profile, "lost_samples", 337);
	set(profile, "unresolved_samples", 29);
	assert_says(profile, "lost samples 337 (53.7 %)");
	assert_says(profile, "unresolved 29 (10.0 %)");
	profile_free(profile);
}

static void test_audit_line__tells_what_was_found_and_its_noise(void **state)
{
	struct profile *profile = fixture_profile();
	char *text = said_of(profile, false);

	(void)state;
	assert_non_null(strstr(text,
		"audit: 100 samples, 248 of 250 Hz reached, cost 0.93 % of the CPU time, as good "
		"as 100 of equal weight, "
		"404.00 ms of CPU time (4.00 ms unsampled)\n"
		"found 98.0 % \xc2\xb1 19.5 of the expected samples, real-time priority, 1 late "
		"instant "
		"(0.8 %)\n"));
	free(text);
	set(profile, "late_instants", 0);
	set(profile, "realtime", 0);
	assert_says(profile, "98.0 % +- 19.5");
	assert_says(profile, ", no real-time priority\n");
	assert_silent(profile, "late");
	assert_silent(profile, "less than 0.1 ms");
	profile_free(profile);
}

static void test_audit_line__names_the_likely_cause(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "effective_samples", 20000);
	set(profile, "samples", 20000);
	set(profile, "instants", 25000);
	set(profile, "late_instants", 0);
	set(profile, "found_ns", 355 * FIXTURE_MS);
	assert_says(profile,
		"found 88 % of the expected samples: why is not measured; usually threads run less "
		"than 0.1 ms at a time\n");
	set(profile, "threads", 2001);
	assert_says(profile,
		"why is not measured; usually there are too many threads to find at once the one "
		"that runs, or threads run less than 0.1 ms at a time\n");
	set(profile, "threads", 1);
	set(profile, "realtime", 0);
	assert_says(profile,
		"expected samples: why is not measured; usually the sampler, without real-time "
		"priority (RLIMIT_RTPRIO or CAP_SYS_NICE gives it, see man sprofrun), waited for "
		"CPUs, or threads run less than 0.1 ms at a time\n");
	set(profile, "realtime", 1);
	set(profile, "late_instants", 3000);
	assert_says(profile,
		"expected samples: CPUs taken by a hypervisor, or by programs of higher priority "
		"(12 % of the instants came late); why more are missing is not measured; "
		"usually threads run less than 0.1 ms at a time\n");
	set(profile, "late_instants", 7500);
	set(profile, "realtime", 0);
	assert_says(profile,
		"expected samples: CPUs busy with other programs (30 % of the instants came late; "
		"real-time priority avoids that: RLIMIT_RTPRIO or CAP_SYS_NICE gives it, see man "
		"sprofrun)\n");
	set(profile, "found_ns", 452 * FIXTURE_MS);
	assert_says(profile, "found 112 % of the expected samples: without real-time priority");
	set(profile, "realtime", 1);
	assert_says(profile, "found 112 % of the expected samples: threads run more often");
	profile_free(profile);
}

/* 404 ms at 250 Hz are 101 ticks. */
static void test_audit_line__says_what_few_samples_mean(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	assert_silent(profile, "few samples");
	assert_silent(profile, "asked for");
	/* The interval of a share of 0.5 of 96 samples is 0.404 to 0.596. */
	set(profile, "effective_samples", 96);
	assert_says(profile,
		"few samples (96 effective): shares are uncertain by up to 10 points; a longer");
	set(profile, "samples", 60);
	assert_says(profile, "149 of 250 Hz reached");
	assert_says(profile, "60 samples of 101 that were asked for: one takes longer");
	set(profile, "found_ns", 404 * FIXTURE_MS);
	set(profile, "instants", 1000);
	set(profile, "late_instants", 60);
	assert_says(profile,
		"60 samples of 101 that were asked for: other programs had the CPUs, or one takes "
		"longer");
	set(profile, "late_instants", 10);
	assert_says(profile, "60 samples of 101 that were asked for: one takes longer");
	/* 404 ms in 8 s explain a low rate, unless most of it is due to a bound on the cost. */
	set(profile, "wall_ns", UINT64_C(8000) * FIXTURE_MS);
	assert_says(profile,
		"60 samples of 101 that were asked for: the program was on a CPU for less than a "
		"quarter of the time, and");
	assert_says(profile, "times are right, with the noise of so few samples");
	set(profile, "late_instants", 60);
	assert_says(profile, "a quarter of the time (other programs used the CPUs, too), and");
	set(profile, "late_instants", 10);
	/* The target waited for a CPU most of the time, so other programs had the CPUs. */
	set(profile, "runqueue_ns", 500 * FIXTURE_MS);
	assert_says(profile, "a quarter of the time (other programs had the CPUs), and");
	set(profile, "runqueue_ns", 0);
	/* A thousand samples are not few, even if more were asked for. */
	set(profile, "effective_samples", 1000);
	assert_says(profile, "is sampled more rarely; times are right\n");
	set(profile, "effective_samples", 96);
	set(profile, "throttled_instants", 21);
	assert_says(profile,
		"60 samples of 101 that were asked for, to bound the cost (the first "
		"second is free of the bound): --max-cost");
	set(profile, "throttled_instants", 20);
	set(profile, "wall_ns", 1600 * FIXTURE_MS);
	assert_says(profile, "60 samples of 101 that were asked for: one takes longer");
	/* 71 is within three times the noise of the expected 101. */
	set(profile, "samples", 71);
	assert_silent(profile, "asked for");
	/* found_ratio is low: instants missed threads, so the rate is not blamed. */
	set(profile, "effective_samples", 20000);
	set(profile, "instants", 25000);
	set(profile, "found_ns", 200 * FIXTURE_MS);
	set(profile, "samples", 50);
	assert_silent(profile, "asked for");
	assert_silent(profile, "few samples");
	assert_says(profile, "found 50 % of the expected samples: why is not measured");
	profile_free(profile);
}

static void test_audit_line__no_stop_has_no_length(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "stops", 120);
	assert_says(profile, "stop time p50");
	set(profile, "stops", 0);
	assert_silent(profile, "stop time");
	assert_silent(profile, "of the running time");
	profile_free(profile);
}

/* A sample takes longer than this period of 10 us. */
static void test_audit_line__a_rate_that_cannot_be(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	profile_set_period(profile, 10000);
	set(profile, "found_ns", 130 * FIXTURE_MS);
	set(profile, "samples", 2366);
	assert_says(profile, "5856 of 100000 Hz reached");
	assert_says(profile, "2366 samples of 40400 that were asked for: one takes longer");
	/* Without the effective number, nothing shows that these 2366 samples are worth few. */
	set(profile, "effective_samples", 0);
	assert_says(profile, "allows no more; times are right\n");
	assert_silent(profile, "threads that run less");
	profile_free(profile);
}

/* The rate is of the sampled time, without the time left out. */
static void test_audit_line__what_was_left_out_is_told(void **state)
{
	struct profile *profile;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	profile_set_period(profile, 2000000);
	set(profile, "samples", 200);
	set(profile, "kernel_cpu_ns", 900 * FIXTURE_MS);
	set(profile, "unattributed_cpu_ns", 504 * FIXTURE_MS);
	set(profile, "syscall_cpu_ns", 500 * FIXTURE_MS);
	assert_says(profile,
		"audit: 200 samples, 500 of 500 Hz reached, 900.00 ms of CPU time (4.00 ms "
		"unsampled, 500.00 ms in system calls left out)\n");
	assert_silent(profile, "that were asked for");
	profile_free(profile);
}

/* The kernel used 300 of 404 ms, and no row is a system call. */
static void test_audit_line__page_faults_are_told(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	assert_silent(profile, "page fault");
	set(profile, "system_cpu_ns", 300 * FIXTURE_MS);
	set(profile, "minor_faults", 1000);
	set(profile, "major_faults", 2);
	assert_says(profile,
		"74 % +- 13 of the CPU time is the kernel's outside of system calls (1002 page "
		"faults, and interrupts); it is shown where the threads were\n");
	/* 40 ms are less than twice the figure's error. */
	set(profile, "system_cpu_ns", 40 * FIXTURE_MS);
	assert_silent(profile, "page fault");
	profile_free(profile);
}

/* The file of an older version lacks figures; those in it are shown. */
static void test_audit_line__without_the_test_the_times_are_told(void **state)
{
	struct profile *profile;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	set(profile, "samples", 12);
	set(profile, "kernel_cpu_ns", 404 * FIXTURE_MS);
	set(profile, "unattributed_cpu_ns", 4 * FIXTURE_MS);
	assert_says(profile, "audit: 12 samples, 404.00 ms of CPU time (4.00 ms unsampled)\n");
	assert_silent(profile, "found");
	assert_silent(profile, "real");
	profile_free(profile);
}

/* A stack longer than --max-stack is cut, so it has no main. */
static void test_audit_line__long_stacks_name_the_option(void **state)
{
	struct profile *profile = fixture_profile();
	uint32_t *location = calloc(65536, sizeof(*location)),
		 task = profile_sample(profile, 0).task;

	(void)state;
	assert_non_null(location);
	set(profile, "samples", 100);
	set(profile, "truncated_stacks", 3);
	assert_silent(profile, "--max-stack");
	set(profile, "truncated_stacks", 4);
	assert_says(profile, "\nstacks are longer than --max-stack (1M by default)");
	assert_says(profile, ": --max-stack 64M copies them whole\n");
	/* Stacks with the most frames that are kept are cut whatever --max-stack is. */
	fixture_add(profile, task, location, 65535, 1);
	assert_says(profile, "--max-stack 64M");
	fixture_add(profile, task, location, 65536, 1);
	assert_silent(profile, "--max-stack");
	assert_says(profile, "\nstacks have more than 65536 frames");
	free(location);
	profile_free(profile);
}

static void test_audit_line__a_report_ends_with_one_line(void **state)
{
	static const struct {
		const char *key;
		uint64_t value;
		const char *line;
	} steps[] = {
		{"lost_samples", 0,
			"audit: 100 samples at 248 of 250 Hz, cost 0.93 %, found 98.0 % +- 19.5, "
			"nothing "
			"lost\n"},
		{"cost_ns", 5 * FIXTURE_MS,
			"audit: 100 samples at 248 of 250 Hz, cost 1.24 %, found 98.0 % +- 19.5, "
			"nothing lost\n"},
		{"unresolved_samples", 2,
			"audit: 100 samples at 248 of 250 Hz, cost 1.24 %, found 98.0 % +- 19.5, "
			"unresolved 2 (2.0 %)\n"},
		{"lost_samples", 25,
			"audit: 100 samples at 248 of 250 Hz, cost 1.24 %, found 98.0 % +- 19.5, "
			"lost 25 (20.0 %), unresolved 2 (2.0 %)\n"},
	};
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "unresolved_samples", 0);
	set(profile, "truncated_stacks", 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		char *text = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);

		assert_non_null(out);
		set(profile, steps[i].key, steps[i].value);
		assert_int_equal(report_audit(profile, REPORT_AUDIT_LINE, true, 0, out), 0);
		assert_int_equal(fclose(out), 0);
		assert_true(!strncmp(text, steps[i].line, strlen(steps[i].line)));
		assert_string_equal(text + strlen(steps[i].line), "note: made by hand\n");
		free(text);
	}
	profile_free(profile);
}

/* 404 ms of CPU time in 10 s: -w wall is recommended, unless the profile is of it already. */
static void test_audit_line__what_waits_is_pointed_to_the_wall_clock(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	assert_silent(profile, "-w wall");
	set(profile, "wall_ns", UINT64_C(10000) * FIXTURE_MS);
	assert_says(profile,
		"\non a CPU for 4.0 % of the time: sprofrun -w wall shows where the threads "
		"wait\n");
	assert_silent(profile, "--tree");
	set(profile, "descendants_left", 2);
	assert_says(profile,
		"\n2 descendants were not profiled, and may do the work: sprofrun --tree takes "
		"them, too\non a CPU for");
	set(profile, "elapsed_ns", UINT64_C(10000) * FIXTURE_MS);
	assert_silent(profile, "-w wall");
	profile_free(profile);
}

/* A command of some milliseconds has CPU time, but perhaps no sample. */
static void test_audit_line__a_run_too_short_for_a_sample_is_told(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	assert_silent(profile, "no samples");
	set(profile, "samples", 0);
	set(profile, "kernel_cpu_ns", 1500000);
	assert_says(profile,
		"no samples: 1.50 ms of CPU time are too little for 250 Hz; a higher rate (-F)");
	/* 38.26 ms are nine periods of 4 ms: not too little CPU time. */
	set(profile, "kernel_cpu_ns", 38260000);
	assert_silent(profile, "too little");
	assert_says(profile, "no samples, where 9 were expected of 38.26 ms of CPU time at 250 Hz");
	set(profile, "kernel_cpu_ns", 0);
	assert_silent(profile, "no samples");
	profile_free(profile);
}

/* A part of a profile has no effective number: its samples are counted. */
static void test_audit_line__few_samples_of_a_part(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "effective_samples", 0);
	set(profile, "kernel_cpu_ns", 0);
	assert_silent(profile, "few samples");
	set(profile, "samples", 11);
	assert_says(profile, "few samples (11): shares are uncertain by up to 25 points; a longer");
	profile_free(profile);
}

/* Most samples of a wall-clock profile may be of threads that wait. */
static void test_audit_line__few_samples_of_a_wall_clock_are_of_cpu_time(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	set(profile, "effective_samples", 20);
	assert_says(profile, "few samples (20 effective): shares are uncertain by up to 20 points");
	set(profile, "elapsed_ns", 9000000000);
	assert_says(profile, "few samples of CPU time (20 effective): shares");
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audit_line__what_was_lost_is_a_part_of_what_was_sampled),
		cmocka_unit_test(test_audit_line__tells_what_was_found_and_its_noise),
		cmocka_unit_test(test_audit_line__names_the_likely_cause),
		cmocka_unit_test(test_audit_line__says_what_few_samples_mean),
		cmocka_unit_test(test_audit_line__no_stop_has_no_length),
		cmocka_unit_test(test_audit_line__a_rate_that_cannot_be),
		cmocka_unit_test(test_audit_line__what_was_left_out_is_told),
		cmocka_unit_test(test_audit_line__page_faults_are_told),
		cmocka_unit_test(test_audit_line__without_the_test_the_times_are_told),
		cmocka_unit_test(test_audit_line__a_report_ends_with_one_line),
		cmocka_unit_test(test_audit_line__what_waits_is_pointed_to_the_wall_clock),
		cmocka_unit_test(test_audit_line__long_stacks_name_the_option),
		cmocka_unit_test(test_audit_line__a_run_too_short_for_a_sample_is_told),
		cmocka_unit_test(test_audit_line__few_samples_of_a_part),
		cmocka_unit_test(test_audit_line__few_samples_of_a_wall_clock_are_of_cpu_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
