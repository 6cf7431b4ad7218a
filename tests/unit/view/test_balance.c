/* SPDX-License-Identifier: MIT */
/* Processes are alike if Poisson numbers of samples, of 4 ms each, may differ as much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "profile/labels.h"
#include "tests/unit/profile_fixture.h"
#include "view/report/balance.h"

static const char long_name[] =
	"a_function_whose_name_alone_fills_a_line_of_eighty_columns_and_more";

/* A process with @samples of @function. 0: 2 ms of CPU time without a sample. */
struct process {
	const char *program, *function;
	uint32_t pid;
	int64_t samples;
	int64_t rank; /* label of its samples; 0: none */
};

static void label(struct profile *profile, int64_t rank)
{
	const struct label of_rank = {.key = LABEL_RANK, .number = rank, .unit = ""};

	if (rank)
		(void)fixture_index(labels_give_all(
			profile, (uint32_t)fixture_index(labels_add(profile, &of_rank, 1))));
}

static struct profile *profile_of(const struct process *process, size_t n)
{
	struct profile *profile = NULL;
	uint32_t exe;

	(void)fixture_index(profile_new(&profile));
	exe = fixture_index(profile_add_mapping(profile,
		&(struct mapping){.file = "/usr/bin/demo", .start = 0x1000, .limit = 0x90000}));
	for (size_t i = 0; i < n; i++) {
		const struct process *p = &process[i];
		uint32_t task = fixture_index(profile_add_task(
			profile, &(struct task){p->pid, p->pid, p->program, p->program}));
		struct location_line line = {0};
		uint32_t location;

		if (!p->samples) {
			(void)fixture_index(
				profile_add_unsampled(profile, task, exe, 2 * FIXTURE_MS));
			label(profile, p->rank);
			continue;
		}
		line.function = fixture_index(profile_add_function(
			profile, &(struct function){.name = p->function, .symbol = p->function}));
		location = fixture_location(
			profile, exe, 0x1000 + 16 * (uint64_t)p->function[0], &line, 1);
		fixture_add(profile, task, &location, 1, p->samples);
		label(profile, p->rank);
	}
	profile_set_period(profile, 4 * FIXTURE_MS);
	return profile;
}

static char *report_of(const struct process *process, size_t n, unsigned width)
{
	struct profile *profile = profile_of(process, n);
	struct report_options options = {
		.size = sizeof(options), .balance_by = REPORT_BY_PROCESS, .width = width};
	char *text = NULL, *problem = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(balance_print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	profile_free(profile);
	return text;
}

#define PROCESSES(list) list, sizeof(list) / sizeof(*(list))

static void assert_says(const struct process *process, size_t n, unsigned width, const char *what)
{
	char *text = report_of(process, n, width);

	if (!strstr(text, what))
		fail_msg("no '%s' in:\n%s", what, text);
	free(text);
}

/* One sample has a large relative noise, but that does not make it like 133. */
static void test_balance__few_samples_are_not_like_many(void **state)
{
	static const struct process same[] = {{"job", "f", 1, 133, 0}, {"job", "f", 2, 1, 0}};
	static const struct process differ[] = {
		{"cc1plus", "f", 1, 133, 0}, {"g++", "g", 2, 1, 0}, {"as", "a", 3, 4, 0}};

	(void)state;
	assert_says(PROCESSES(same), 0, "\n2 kinds of behaviour\n1 process: job 1; 532.00 ms each");
	assert_says(PROCESSES(same), 0, "\n1 process: job 2; 4.00 ms each");
	assert_says(PROCESSES(differ), 0, "\n3 kinds of behaviour\n");
	assert_says(PROCESSES(differ), 0, "\n1 process: as 3; 16.00 ms each, most in a (100 %)\n");
}

/*
 * The numbers of samples may differ by a tenth of the greater one plus twice the noise: 100 and 140
 * by 14 + 31, 100 and 155 by 16 + 32.
 */
static void test_balance__chance_and_a_tenth_are_alike(void **state)
{
	static const struct process near[] = {{"job", "f", 1, 100, 0}, {"job", "f", 2, 140, 0}};
	static const struct process far[] = {{"job", "f", 1, 100, 0}, {"job", "f", 2, 155, 0}};

	(void)state;
	assert_says(PROCESSES(near), 0, "\nall behave alike\n2 processes: job 1, job 2; 480.00 ms");
	assert_says(PROCESSES(far), 0, "\n2 kinds of behaviour\n");
}

/* Where 3 samples are expected, chance finds none now and then; where 9 are, it does not. */
static void test_balance__no_sample_is_like_few(void **state)
{
	static const struct process few[] = {
		{"job", "f", 1, 3, 0}, {"job", "f", 2, 0, 0}, {"job", "f", 3, 1, 0}};
	static const struct process many[] = {{"job", "f", 1, 12, 0}, {"job", "f", 2, 0, 0}};

	(void)state;
	assert_says(PROCESSES(few), 0, "\nall behave alike\n3 processes: job 1, job 2, job 3;");
	assert_says(PROCESSES(many), 0, "\n2 kinds of behaviour\n");
}

static void test_balance__different_programs_need_evidence(void **state)
{
	static const struct process few[] = {{"pool-1", "f", 1, 5, 0}, {"pool-2", "f", 2, 5, 0}};
	static const struct process many[] = {
		{"pool-1", "f", 1, 500, 0}, {"pool-2", "f", 2, 510, 0}};
	static const struct process others[] = {
		{"pool-1", "f", 1, 500, 0}, {"pool-2", "g", 2, 510, 0}};

	(void)state;
	assert_says(PROCESSES(few), 0, "\n2 kinds of behaviour\n");
	assert_says(PROCESSES(many), 0, "\nall behave alike\n2 processes: pool-1 1, pool-2 2;");
	assert_says(PROCESSES(others), 0, "\n2 kinds of behaviour\n");
}

/* The names differ only in " rank N". */
static void test_balance__ranks_of_one_program_need_no_evidence(void **state)
{
	static const struct process ranks[] = {{"job rank 1", "f", 1, 5, 1},
		{"job rank 12", "f", 2, 5, 12}, {"job rank 3", "f", 3, 5, 3}};
	static const struct process others[] = {
		{"job rank 1", "f", 1, 5, 1}, {"pre rank 2", "f", 2, 5, 2}};
	/* Without a label of the rank, " rank 1" is part of the program's own name. */
	static const struct process names[] = {
		{"job rank 1", "f", 1, 5, 0}, {"job rank 2", "f", 2, 5, 0}};

	(void)state;
	assert_says(PROCESSES(ranks), 0,
		"\nall behave alike\n3 processes: job rank 1 1, job rank 12 2, job rank 3 3;");
	assert_says(PROCESSES(others), 0, "\n2 kinds of behaviour\n");
	assert_says(PROCESSES(names), 0, "\n2 kinds of behaviour\n");
}

/* An executable's CPU time in processes without samples is an entry without a pid: no process. */
static void test_balance__time_of_no_known_process_is_none(void **state)
{
	static const struct process list[] = {{"ld", "f", 7, 100, 0}, {"ld", "", 0, 0, 0}};

	(void)state;
	assert_says(PROCESSES(list), 0,
		"\nall behave alike\n1 process: ld 7; 400.00 ms each, most in f (100 %)\n"
		"left out: 2.00 ms of no known process\n");
}

static void test_balance__lines_have_the_width(void **state)
{
	struct process list[14];
	char *text, *line;

	(void)state;
	for (uint32_t i = 0; i < 14; i++)
		list[i] = (struct process){"a-long-name", long_name, 1000 + i, 100, 0};
	text = report_of(list, 14, 60);
	line = strstr(text, "\n14 processes: a-long-name 1000, a-long-name 1001,");
	assert_non_null(line);
	assert_non_null(strstr(line, "a-long-name 1011 and 2 more;"));
	assert_null(strstr(line, long_name));
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(text_columns(line) <= 60);
	free(text);
	text = report_of(list, 14, 0);
	assert_non_null(
		strstr(text, "a-long-name 1011 and 2 more; 400.00 ms each, most in a_func"));
	assert_non_null(strstr(text, "columns_and_more (100 %)\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance__few_samples_are_not_like_many),
		cmocka_unit_test(test_balance__chance_and_a_tenth_are_alike),
		cmocka_unit_test(test_balance__no_sample_is_like_few),
		cmocka_unit_test(test_balance__different_programs_need_evidence),
		cmocka_unit_test(test_balance__ranks_of_one_program_need_no_evidence),
		cmocka_unit_test(test_balance__time_of_no_known_process_is_none),
		cmocka_unit_test(test_balance__lines_have_the_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
