/* SPDX-License-Identifier: MIT */
/* Expected figures are summed up by hand from the table in stacks_fixture.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/stacks_fixture.h"
#include "view/report/annotate.h"
#include "view/report/callers.h"
#include "view/report/report.h"

static void ask(struct callers *callers, const struct profile *profile,
	const struct report_options *options)
{
	char *problem = NULL;
	int error = callers_init(callers, profile, options, &problem);

	if (error)
		fail_msg("%d: %s", error, problem ? problem : "");
}

static void assert_row(const struct row *row, const char *function, int64_t self, int64_t total)
{
	assert_string_equal(row->function, function);
	assert_int_equal(row->self[VALUE_SAMPLES], self);
	assert_int_equal(row->total[VALUE_SAMPLES], total);
}

static void test_callers__of_functions_that_call_each_other(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .function = "eval"};
	struct callers callers;

	(void)state;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "eval", 15, 55);
	assert_string_equal(callers.function.object, "/opt/app");
	assert_int_equal(callers.caller.n, 3);
	assert_row(&callers.caller.row[0], "apply", 15, 45);
	assert_row(&callers.caller.row[1], "run", 0, 40);
	assert_row(&callers.caller.row[2], "work", 0, 15);
	assert_int_equal(callers.callee.n, 2);
	assert_row(&callers.callee.row[0], "apply", 10, 55);
	assert_row(&callers.callee.row[1], "add", 30, 30);
	callers_release(&callers);
	profile_free(profile);
}

static void test_callers__a_function_is_not_its_own_caller(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .function = "fib"};
	struct callers callers;

	(void)state;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "fib", 25, 25);
	assert_int_equal(callers.caller.n, 1);
	assert_row(&callers.caller.row[0], "main", 25, 25);
	assert_int_equal(callers.callee.n, 0);
	callers_release(&callers);
	profile_free(profile);
}

static void test_callers__the_outermost_is_called_by_nobody(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {
		.size = sizeof(options), .function = "^mai", .min_percent = 20};
	struct callers callers;

	(void)state;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "main", 0, 113);
	assert_int_equal(callers.caller.n, 1);
	assert_row(&callers.caller.row[0], CALLERS_NOBODY, 0, 113);
	/* fib, 25 of 146 samples, counts at main's call of it, not at its inner calls. */
	assert_int_equal(callers.callee.n, 1);
	assert_int_equal(callers.callee.left_out, 1);
	assert_row(&callers.callee.row[0], "run", 0, 88);
	callers_release(&callers);
	profile_free(profile);
}

static void test_callers__inlined_functions_are_callees(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .function = "parse"};
	struct callers callers;

	(void)state;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "parse", 8, 48);
	assert_row(&callers.callee.row[0], "lex", 40, 40);
	callers_release(&callers);
	options.no_inline = true;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "parse", 48, 48);
	assert_int_equal(callers.callee.n, 0);
	callers_release(&callers);
	profile_free(profile);
}

static void test_callers__count_the_chosen_samples(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {
		.size = sizeof(options), .function = "eval", .thread = "^worker"};
	struct callers callers;

	(void)state;
	ask(&callers, profile, &options);
	assert_row(&callers.function, "eval", 15, 15);
	assert_int_equal(callers.caller.n, 2);
	callers_release(&callers);
	options.function = "fib";
	ask(&callers, profile, &options);
	assert_row(&callers.function, "fib", 0, 0);
	assert_int_equal(callers.caller.n + callers.callee.n, 0);
	callers_release(&callers);
	profile_free(profile);
}

/* @wanted is a displayed or linked name; @words: in the message if several match, or none. */
static void test_callers__find_one_function(void **state)
{
	static const struct {
		const char *wanted, *name;
		int error;
		const char *words;
	} cases[] = {
		{"main", "main", 0, NULL},
		{"demo::compute(int)", "demo::compute(int)", 0, NULL},
		{"_ZN4demo7computeEi", "demo::compute(int)", 0, NULL},
		{"compute", "demo::compute(int)", 0, NULL},
		{"^w", "walk", 0, NULL},
		{"a", NULL, -ENOENT,
			"'a' matches 4 functions; give the whole name of one, or ^NAME$:\n"
			"    main\n    walk\n    foo_read\n    [unsampled]"},
		{"WALK", NULL, -ENOENT,
			"no function is named or matches 'WALK'; there is:\n    walk"},
		{"nothing", NULL, -ENOENT, "there is:\n    main\n    "},
		{"co(", NULL, -EINVAL, "not a regular expression"},
	};
	struct profile *profile = fixture_profile();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct report_options options = {
			.size = sizeof(options), .function = cases[i].wanted};
		char *name = NULL, *problem = NULL;

		assert_int_equal(callers_find(profile, &options, &name, &problem), cases[i].error);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else if (!strstr(problem, cases[i].words))
			fail_msg("%s: %s", cases[i].wanted, problem);
		free(name);
		free(problem);
	}
	profile_free(profile);
}

/* Names may have a kilobyte. */
static void test_callers__found_names_are_cut_to_the_width(void **state)
{
	struct report_options options = {
		.size = sizeof(options), .function = "compute|walk", .width = 16};
	struct profile *profile = fixture_profile();
	char *name = NULL, *problem = NULL, *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	assert_int_equal(callers_find(profile, &options, &name, &problem), -ENOENT);
	assert_non_null(strstr(problem, "\n    walk"));
	assert_non_null(strstr(problem, "\n    compute(int)"));
	assert_null(strstr(problem, "demo::"));
	free(problem);
	options.function = "compute";
	options.width = 17;
	assert_int_equal(annotate_print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "mpute(int),\n  "));
	assert_null(strstr(text, "demo::compute(int)"));
	free(text);
	profile_free(profile);
}

static void test_callers__of_an_empty_profile_there_are_none(void **state)
{
	struct report_options options = {.size = sizeof(options), .function = "main"};
	struct profile *profile;
	struct callers callers;
	char *problem = NULL;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(callers_init(&callers, profile, &options, &problem), -ENOENT);
	assert_string_equal(problem, "no function is named or matches 'main'");
	free(problem);
	profile_free(profile);
}

/* 999 of a thousand samples have a line. */
static void test_annotate__what_has_no_line_does_not_deny_lines(void **state)
{
	struct report_options options = {.size = sizeof(options), .function = "work"};
	uint32_t location[2], mapping, task;
	struct profile *profile = NULL;
	char *text = NULL, *problem = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	(void)fixture_index(profile_new(&profile));
	mapping = fixture_index(profile_add_mapping(
		profile, &(struct mapping){.file = "/opt/app", .start = 0x1000, .limit = 0x9000}));
	task = fixture_index(profile_add_task(profile, &(struct task){1, 1, "app", "app"}));
	for (uint32_t i = 0; i < 2; i++) {
		struct location_line line = {.line = i ? 0 : 10};

		line.function = fixture_index(profile_add_function(profile,
			&(struct function){
				.name = "work", .symbol = "work", .file = i ? "" : "app.c"}));
		location[i] = fixture_location(profile, mapping, 0x1000 + 64 * i, &line, 1);
		fixture_add(profile, task, &location[i], 1, i ? 1 : 999);
	}
	options.min_percent = 0.5;
	assert_int_equal(report_find("annotate")->print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "app.c"));
	assert_null(strstr(text, "no line is known"));
	free(text);
	free(problem);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers__of_functions_that_call_each_other),
		cmocka_unit_test(test_callers__a_function_is_not_its_own_caller),
		cmocka_unit_test(test_callers__the_outermost_is_called_by_nobody),
		cmocka_unit_test(test_callers__inlined_functions_are_callees),
		cmocka_unit_test(test_callers__count_the_chosen_samples),
		cmocka_unit_test(test_callers__find_one_function),
		cmocka_unit_test(test_callers__found_names_are_cut_to_the_width),
		cmocka_unit_test(test_callers__of_an_empty_profile_there_are_none),
		cmocka_unit_test(test_annotate__what_has_no_line_does_not_deny_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
