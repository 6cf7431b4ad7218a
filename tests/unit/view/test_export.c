/* SPDX-License-Identifier: MIT */
/* Exports of the stacks of stacks_fixture.h. tests/reports reads them with other programs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "profile/pprof.h"
#include "tests/unit/export_fixture.h"
#include "tests/unit/stacks_fixture.h"
#include "view/export/export.h"
#include "view/export/export_name.h"

static void test_export__is_chosen_by_file_name(void **state)
{
	static const struct {
		const char *path, *format;
	} cases[] = {
		{"sprof.pb.gz", "pprof"},
		{"a/b.folded", "folded"},
		{".svg", "svg"},
		{"X.SVG", "svg"},
		{"r.csv", "csv"},
		{"r.Json", "json"},
		{"a.speedscope.json", "speedscope"},
		{"a.firefox.json", "firefox"},
		{"a/gmon.out", "gmon"},
		{"callgrind.out", "callgrind"},
		{"d/callgrind.out.4711", "callgrind"},
		{"callgrind.out.%p", "callgrind"},
		{"callgrind.out.svg", "svg"},
		{"gmon.out.7", "gmon"},
		{"x.perf", "perf-script"},
		{"perf.script", "perf-script"},
		{"a.collapsed", "folded"},
		{"gmon.out.d/x", NULL},
		{"gmon.outer", NULL},
		{"callgrind.out.", NULL},
		{".svg.7", NULL},
		{"svg", NULL},
		{"x.svg.gz", NULL},
		{"-", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct export_format *format = export_find_for_file(cases[i].path);

		if (cases[i].format)
			assert_ptr_equal(format, export_find(cases[i].format));
		else
			assert_null(format);
	}
	/* A recording keeps all data, unless stacks or a picture are asked for. */
	assert_ptr_equal(export_for_recording("x.svg"), export_find("svg"));
	assert_ptr_equal(export_for_recording("x.csv"), export_find("pprof"));
	assert_ptr_equal(export_for_recording("x.json"), export_find("speedscope"));
	assert_ptr_equal(export_for_recording("x"), export_find("pprof"));
	assert_non_null(strstr(export_remark("a.b/x.csv"), "pprof"));
	assert_string_equal(export_remark("x.json"), "");
	assert_string_equal(export_remark("a.b/x"), "");
	assert_string_equal(export_remark("x.svg"), "");
	assert_string_equal(export_remark("x.pb.gz"), "");
	assert_null(export_find("callgrind?"));
	for (size_t i = 0; export_at(i); i++)
		assert_ptr_equal(export_find(export_at(i)->name), export_at(i));
}

static struct profile *one_stack(int64_t samples, int64_t cpu_ns)
{
	int64_t values[VALUE_TYPES_MAX] = {samples, cpu_ns};
	struct mapping mapping = {.file = "/bin/prog", .start = 0x1000, .limit = 0x2000};
	struct profile *profile;
	uint32_t leaf = 0;

	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_mapping(profile, &mapping), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){0}), 0);
	assert_int_equal(profile_add_location(profile, 0, 0x1100), 0);
	assert_true(profile_add_sample(profile, 0, &leaf, 1, values) >= 0);
	return profile;
}

/* A file of 200 bytes may claim any number of samples. */
static void test_export__writes_no_more_than_it_reads(void **state)
{
	static const int64_t counts[] = {100000000, INT64_MAX};
	struct report_options options = {.size = sizeof(options)};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct profile *profile = one_stack(counts[i], counts[i]);

		for (size_t j = 0; export_at(j); j++) {
			size_t bytes;
			char *text = export(profile, export_at(j)->name, &options, &bytes);

			if (bytes > 100 << 20)
				fail_msg("%s: %zu bytes", export_at(j)->name, bytes);
			if (!strcmp(export_at(j)->name, "perf-script"))
				assert_true(strstr(text, "# ") == text &&
					strstr(text, " of them each"));
			free(text);
		}
		profile_free(profile);
	}
}

/* A difference of two profiles, as other tools write it. */
static void test_export__loses_no_negative_value(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = one_stack(-5, -500);

	(void)state;
	for (size_t i = 0; export_at(i); i++) {
		const struct export_format *format = export_at(i);
		char *text = NULL, *problem = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);
		int r;

		assert_non_null(out);
		r = export_write(format, profile, &options, out, &problem);
		assert_int_equal(fclose(out), 0);
		if (format->has_signs) {
			assert_int_equal(r, 0);
			assert_true(!strcmp(format->name, "pprof") || strstr(text, "-5"));
		} else {
			assert_int_equal(r, -EINVAL);
			assert_non_null(strstr(problem, "difference"));
		}
		free(problem);
		free(text);
	}
	profile_free(profile);
}

static void test_export__names_that_a_recording_cannot_have(void **state)
{
	static const char *const good[] = {"x.pb.gz", "X.SVG", "a.b/x", "x", ".x", "x.pprof",
		"x.prof", "x.pb", "x.%p", "x.%n.pb.gz", "run.2024", "run-1.2", "x.corp-net",
		"host.averylongdomain", "tmp.x7Qd1B", "x.json", "x.firefox.json", "d/gmon.out",
		"callgrind.out", "callgrind.out.1", "gmon.out.%p", "x.perf", "-", ""};
	static const struct {
		const char *path, *says;
	} bad[] = {{"d/x.csv",
			   "a recording is not written as csv: record to x.pb.gz, then "
			   "'sprofreport export --format csv -o x.csv x.pb.gz'"},
		{"x.txt", "no format's name ends in .txt: choose .pb.gz (pprof), .folded"},
		{"x.svg.bak", "no format's name ends in .bak"}};
	char *problem = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_int_equal(export_check_recording(good[i], &problem), 0);
	assert_null(problem);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(export_check_recording(bad[i].path, &problem), -EINVAL);
		if (!strstr(problem, bad[i].says))
			fail_msg("'%s' is not '%s'", problem, bad[i].says);
		free(problem);
	}
}

static void test_export__folded_stacks_count_samples(void **state)
{
	static const char *const lines[] = {
		"main;run;parse;lex 40\n",
		"main;run;eval;apply;eval;apply;eval;add 30\n",
		"main;run;eval;apply 10\n",
		"main;fib;fib;fib 20\n",
		"main;fib 5\n",
		"start_thread;work;eval;apply;eval 15\n",
		"start_thread;work;read 12\n",
		"main;run;parse 8\n",
		"[unknown] 4\n",
	};
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_stacks();
	size_t bytes, all = 0;
	char *text = export(profile, "folded", &options, &bytes);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *at = strstr(text, lines[i]);

		if (!at || (at != text && at[-1] != '\n'))
			fail_msg("no %s in\n%s", lines[i], text);
		all += strlen(lines[i]);
	}
	assert_int_equal(bytes, all);
	free(text);
	options.split = REPORT_SPLIT_THREAD;
	text = export(profile, "folded", &options, &bytes);
	assert_non_null(strstr(text, "worker 202;start_thread;work;read 12\n"));
	assert_non_null(strstr(text, "app 200;[unknown] 4\n"));
	free(text);
	profile_free(profile);
}

static void test_export__folded_names_keep_the_format(void **state)
{
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_THREAD};
	struct profile *profile = fixture_hostile();
	size_t bytes, lines = 0;
	char *text = export(profile, "folded", &options, &bytes), *save = NULL;

	(void)state;
	assert_int_equal(strlen(text), bytes);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t frames = 1;

		lines++;
		assert_string_equal(strrchr(line, ' '), " 10");
		for (const char *p = line; *p;) {
			int32_t c = text_next(&p);

			assert_true(c >= 0x20 && c != 0x7f);
			frames += c == ';';
		}
		/* One frame for the thread, and one for each function: names add none. */
		assert_true(frames >= 2 && frames <= 11);
	}
	assert_int_equal(lines, 10);
	free(text);
	profile_free(profile);
}

static void test_export__pprof_is_the_whole_profile(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_stacks(), *back = NULL;
	char *data, *problem = NULL;
	size_t bytes;

	(void)state;
	assert_int_equal(
		export_for_file("any.name", profile, &options, &data, &bytes, &problem), 0);
	assert_int_equal(pprof_read((uint8_t *)data, bytes, &back, NULL), 0);
	assert_int_equal(profile_samples(back), profile_samples(profile));
	profile_free(back);
	free(data);
	options.thread = "worker";
	assert_int_equal(
		export_for_file("x.pb.gz", profile, &options, &data, &bytes, &problem), -EINVAL);
	assert_non_null(strstr(problem, "--thread"));
	free(problem);
	profile_free(profile);
}

/* The levels of a recursion have names, so that a name in a stack has one caller. */
static void test_export__callgrind_names_levels_of_recursion(void **state)
{
	struct report_options options = {.size = sizeof(options), .focus = "^add$"};
	struct profile *profile = fixture_stacks();
	size_t bytes;
	char *text = export(profile, "callgrind", &options, &bytes);

	(void)state;
	assert_non_null(strstr(text, "\nsummary: 30000000\n"));
	/* main run eval apply eval'2 add: 5 calls. */
	assert_int_equal(count(text, "\ncalls=30 "), 5);
	assert_int_equal(count(text, "eval'2\n"), 1);
	assert_int_equal(count(text, "apply'2"), 0);
	free(text);
	profile_free(profile);
	profile = fixture_deep(5000);
	options.focus = NULL;
	text = export(profile, "callgrind", &options, &bytes);
	assert_int_equal(count(text, "descend"), 2);
	assert_int_equal(count(text, "calls=1 "), 2);
	free(text);
	profile_free(profile);
}

static void test_export__perf_script_has_a_record_for_each_sample(void **state)
{
	struct report_options options = {.size = sizeof(options), .thread = "worker"};
	struct profile *profile = fixture_stacks();
	size_t bytes;
	char *text = export(profile, "perf-script", &options, &bytes);

	(void)state;
	assert_int_equal(count(text, ":    1000000 cpu-clock:u:\n"), 27);
	assert_int_equal(count(text, "worker     200/202 "), 12);
	assert_non_null(strstr(text, "read (/lib/libc.so.6)\n"));
	free(text);
	profile_free(profile);
}

static void test_export__of_an_empty_profile(void **state)
{
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_PROCESS};
	struct profile *profile;
	size_t bytes;
	char *text;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	text = export(profile, "folded", &options, &bytes);
	assert_int_equal(bytes, 0);
	free(text);
	text = export(profile, "svg", &options, &bytes);
	assert_non_null(strstr(text, "</svg>"));
	assert_null(strstr(text, "nan"));
	free(text);
	for (size_t i = 0; export_at(i); i++) {
		text = export(profile, export_at(i)->name, &options, &bytes);
		free(text);
	}
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_export__is_chosen_by_file_name),
		cmocka_unit_test(test_export__writes_no_more_than_it_reads),
		cmocka_unit_test(test_export__loses_no_negative_value),
		cmocka_unit_test(test_export__names_that_a_recording_cannot_have),
		cmocka_unit_test(test_export__folded_stacks_count_samples),
		cmocka_unit_test(test_export__folded_names_keep_the_format),
		cmocka_unit_test(test_export__pprof_is_the_whole_profile),
		cmocka_unit_test(test_export__callgrind_names_levels_of_recursion),
		cmocka_unit_test(test_export__perf_script_has_a_record_for_each_sample),
		cmocka_unit_test(test_export__of_an_empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
