/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/audit.h"
#include "tests/unit/profile_fixture.h"
#include "view/rows.h"

/* Figures are in the table of profile_fixture.h. */
static void assert_row(const struct rows *rows, size_t index, const char *function,
	int64_t self_samples, int64_t total_samples)
{
	assert_true(index < rows->n);
	assert_string_equal(rows->row[index].function, function);
	assert_int_equal(rows->row[index].self[VALUE_SAMPLES], self_samples);
	assert_int_equal(rows->row[index].total[VALUE_SAMPLES], total_samples);
}

static void collect(const struct profile *profile, const struct report_options *options,
	enum rows_by by, struct rows *ret_rows)
{
	char *problem = NULL;

	assert_int_equal(rows_collect(profile, options, by, ret_rows, &problem), 0);
	assert_null(problem);
}

static void test_rows__sum_up_by_function(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {.size = sizeof(options)};
	struct rows rows;

	(void)state;
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 7);
	assert_int_equal(rows.weight, VALUE_CPU_NS);
	assert_int_equal(rows.all[VALUE_CPU_NS], 404 * FIXTURE_MS);
	assert_int_equal(rows.unsampled, 4 * FIXTURE_MS);
	assert_true(rows.effective_samples > 99.9 && rows.effective_samples < 100.1);
	assert_row(&rows, 0, "helper", 50, 50);
	assert_row(&rows, 1, "walk", 25, 25); /* three times in a stack, counted once */
	assert_row(&rows, 2, "foo_read", 15, 15);
	assert_row(&rows, 3, "[libfoo.so.1]", 10, 10);
	assert_row(&rows, 4, "[unsampled]", 0, 0);
	assert_int_equal(rows.row[4].self[VALUE_CPU_NS], 4 * FIXTURE_MS);
	assert_string_equal(rows.row[4].object, "/usr/bin/demo");
	assert_row(&rows, 5, "main", 0, 100);
	assert_row(&rows, 6, "demo::compute(int)", 0, 50);
	rows_release(&rows);
	profile_free(profile);
}

static void test_rows__sum_up_by_line(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {.size = sizeof(options), .sort_by_total = true};
	struct rows rows;

	(void)state;
	collect(profile, &options, ROWS_BY_LINE, &rows);
	assert_row(&rows, 0, "main", 0, 100);
	assert_string_equal(rows.row[0].file, "src/main.c");
	assert_int_equal(rows.row[0].line, 12);
	assert_row(&rows, 1, "helper", 50, 50);
	assert_row(&rows, 2, "demo::compute(int)", 0, 50);
	assert_int_equal(rows.row[2].line, 25);
	assert_row(&rows, 5, "[libfoo.so.1+0x2345]", 10, 10);
	rows_release(&rows);
	profile_free(profile);
}

/* A mapping without a file has brackets, and so has code without a name: one pair is shown. */
static void test_rows__unnamed_code_of_the_vdso_has_one_pair_of_brackets(void **state)
{
	static const enum rows_by by[] = {ROWS_BY_LINE, ROWS_BY_FUNCTION};
	static const char *const names[] = {"[vdso+0x1780]", "[vdso]"};
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = NULL;
	uint32_t inner;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	(void)fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "[vdso]", .start = 0x1000, .limit = 0x3000}));
	(void)fixture_index(profile_add_task(profile, &(struct task){1, 1, "a", "a"}));
	inner = fixture_location(profile, 0, 0x1780, NULL, 0);
	fixture_add(profile, 0, &inner, 1, 5);
	for (size_t i = 0; i < 2; i++) {
		struct rows rows;

		collect(profile, &options, by[i], &rows);
		assert_row(&rows, 0, names[i], 5, 5);
		rows_release(&rows);
	}
	profile_free(profile);
}

static void test_rows__inlined_functions_fold_into_the_real_one(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {
		.size = sizeof(options), .no_inline = true, .no_demangle = true};
	struct rows rows;

	(void)state;
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 6);
	assert_row(&rows, 0, "_ZN4demo7computeEi", 50, 50);
	rows_release(&rows);
	profile_free(profile);
}

static void test_rows__split_by_thread_and_process(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_THREAD};
	struct rows rows;
	int64_t of_main[2] = {0};

	(void)state;
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 8);
	for (size_t i = 0; i < rows.n; i++) {
		assert_in_range(rows.row[i].id, 100, 101);
		assert_string_equal(rows.row[i].task, rows.row[i].id == 100 ? "demo" : "worker");
		if (!strcmp(rows.row[i].function, "main"))
			of_main[rows.row[i].id - 100] = rows.row[i].total[VALUE_SAMPLES];
	}
	assert_int_equal(of_main[0], 60);
	assert_int_equal(of_main[1], 40);
	rows_release(&rows);
	options.split = REPORT_SPLIT_PROCESS;
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 7);
	assert_int_equal(rows.row[0].id, 100);
	rows_release(&rows);
	profile_free(profile);
}

static void test_rows__choose_samples(void **state)
{
	static const struct {
		const char *focus, *object, *thread;
		int64_t chosen;
		size_t rows;
	} cases[] = {
		{"^demo::", NULL, NULL, 50, 3},
		{NULL, "libfoo", NULL, 25, 3},
		{NULL, NULL, "^work", 40, 3},
		{"main", "libfoo", "^demo$", 10, 2},
		{"none", NULL, NULL, 0, 0},
	};
	struct profile *profile = fixture_profile();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct report_options options = {.size = sizeof(options),
			.focus = cases[i].focus,
			.object = cases[i].object,
			.thread = cases[i].thread};
		struct rows rows;

		collect(profile, &options, ROWS_BY_FUNCTION, &rows);
		assert_true(rows.filtered);
		assert_int_equal(rows.chosen[VALUE_SAMPLES], cases[i].chosen);
		assert_int_equal(rows.all[VALUE_SAMPLES], 100);
		assert_int_equal(rows.n, cases[i].rows);
		rows_release(&rows);
	}
	profile_free(profile);
}

static void test_rows__leave_out_what_is_below(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {.size = sizeof(options), .limit = 2};
	struct rows rows;

	(void)state;
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.left_out_rows, 5);
	assert_int_equal(rows.left_out.self[VALUE_CPU_NS], 104 * FIXTURE_MS);
	rows_release(&rows);
	options.limit = 0;
	options.min_percent = 10; /* 40 ms are less than 10 % of 404 ms */
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.n, 3);
	rows_release(&rows);
	profile_free(profile);
}

static void test_rows__refuse_a_broken_pattern(void **state)
{
	struct profile *profile = fixture_profile();
	struct report_options options = {.size = sizeof(options), .object = "(open"};
	struct rows rows;
	char *problem = NULL;

	(void)state;
	assert_int_equal(
		rows_collect(profile, &options, ROWS_BY_FUNCTION, &rows, &problem), -EINVAL);
	assert_non_null(strstr(problem, "object '(open'"));
	free(problem);
	profile_free(profile);
}

/*
 * A heap profile of another program has no CPU time, so rows are weighed by its value type. Its
 * addresses are run-time ones, shown as in the file.
 */
static void test_rows__weigh_by_what_there_is(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	int64_t values[VALUE_TYPES_MAX] = {0, 0, 4096};
	struct mapping mapping = {.file = "/usr/lib/libbar.so",
		.start = 0x7f0000001000,
		.limit = 0x7f0000002000,
		.offset = 0x1000};
	struct profile *profile;
	uint32_t leaf = 0;
	struct rows rows;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_value_type(profile, "inuse_space", "bytes"), 2);
	assert_int_equal(profile_add_mapping(profile, &mapping), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){0}), 0);
	assert_int_equal(profile_add_location(profile, 0, 0x7f0000001234), 0);
	assert_int_equal(profile_add_sample(profile, 0, &leaf, 1, values), 0);
	collect(profile, &options, ROWS_BY_LINE, &rows);
	assert_int_equal(rows.weight, 2);
	assert_true(rows.effective_samples <= 0);
	assert_string_equal(rows.row[0].function, "[libbar.so+0x1234]");
	rows_release(&rows);
	profile_free(profile);
}

/* A difference as pprof -diff_base writes it: five samples less here, eight more there. */
static void test_rows__keep_negative_values(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct mapping mapping = {.file = "/bin/prog", .start = 0x1000, .limit = 0x2000};
	int64_t values[2][VALUE_TYPES_MAX] = {{-5, -500}, {8, 800}};
	struct profile *profile;
	struct rows rows;
	uint64_t figure;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_mapping(profile, &mapping), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){0}), 0);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t leaf = i;

		assert_int_equal(profile_add_location(profile, 0, 0x1100 + i), i);
		assert_true(profile_add_sample(profile, 0, &leaf, 1, values[i]) >= 0);
	}
	for (int by_total = 0; by_total < 2; by_total++) {
		options.sort_by_total = by_total;
		options.with_self = true;
		options.min_percent = 30;
		collect(profile, &options, ROWS_BY_LINE, &rows);
		assert_true(rows.negative);
		assert_int_equal(rows.n, 2);
		assert_int_equal(rows.all[VALUE_CPU_NS], 300);
		assert_int_equal(rows.whole, 1300);
		assert_int_equal(rows.row[0].self[VALUE_CPU_NS], 800);
		assert_int_equal(rows.row[1].self[VALUE_CPU_NS], -500);
		assert_int_equal(rows.row[1].total[VALUE_CPU_NS], -500);
		assert_true(rows.effective_samples <= 0);
		rows_release(&rows);
	}
	/* 8 - 5 samples, 800 - 500 ns */
	assert_true(audit_figure(profile, "samples", &figure));
	assert_int_equal(figure, 3);
	assert_true(audit_figure(profile, "profiled_cpu_ns", &figure));
	assert_int_equal(figure, 300);
	profile_free(profile);
}

/* The requested value, else the file's default, else CPU time. */
static void test_rows__weigh_by_what_was_asked_for(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_profile();
	int64_t values[VALUE_TYPES_MAX] = {0, 0, 5000};
	char *problem = NULL;
	uint32_t leaf = 0;
	struct rows rows;

	(void)state;
	assert_int_equal(profile_add_value_type(profile, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_value_type(profile, "blocked", "nanoseconds"), 3);
	assert_int_equal(profile_add_sample(profile, 0, &leaf, 1, values), 0);
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.weight, VALUE_CPU_NS);
	rows_release(&rows);
	profile_set_default_value(profile, 2);
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.weight, 2);
	rows_release(&rows);
	/* The default is "blocked", but nothing was blocked: CPU time. */
	profile_set_default_value(profile, 3);
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.weight, VALUE_CPU_NS);
	rows_release(&rows);
	options.value = "blocked";
	collect(profile, &options, ROWS_BY_FUNCTION, &rows);
	assert_int_equal(rows.weight, 3);
	rows_release(&rows);
	options.value = "fish";
	assert_int_equal(
		rows_collect(profile, &options, ROWS_BY_FUNCTION, &rows, &problem), -EINVAL);
	assert_string_equal(problem,
		"there are no values 'fish' in the profile; it has samples, cpu, wall, blocked");
	free(problem);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__sum_up_by_function),
		cmocka_unit_test(test_rows__sum_up_by_line),
		cmocka_unit_test(test_rows__unnamed_code_of_the_vdso_has_one_pair_of_brackets),
		cmocka_unit_test(test_rows__inlined_functions_fold_into_the_real_one),
		cmocka_unit_test(test_rows__split_by_thread_and_process),
		cmocka_unit_test(test_rows__choose_samples),
		cmocka_unit_test(test_rows__leave_out_what_is_below),
		cmocka_unit_test(test_rows__refuse_a_broken_pattern),
		cmocka_unit_test(test_rows__weigh_by_what_there_is),
		cmocka_unit_test(test_rows__keep_negative_values),
		cmocka_unit_test(test_rows__weigh_by_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
