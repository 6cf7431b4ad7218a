/* SPDX-License-Identifier: MIT */
/* The pictures and pages (svg, html), and the data for gprof (gmon). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/export_fixture.h"
#include "tests/unit/stacks_fixture.h"
#include "view/export/export.h"
#include "view/export/svg.h"

static void test_export__svg_has_a_frame_for_each_call(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_stacks();
	size_t bytes;
	char *text = export(profile, "svg", &options, &bytes);

	(void)state;
	/*
	 * Boxes: all; main run parse lex; eval apply eval apply eval add; fib fib fib; start_thread
	 * work eval apply eval read; [unsampled].
	 */
	assert_int_equal(count(text, "<g class=\"f\""), 21);
	assert_non_null(strstr(text, "<title>lex&#10;/opt/app&#10;27.4 "));
	assert_non_null(strstr(text, "40.00 ms \xc2\xb7 40 samples</title>"));
	/* 8 of parse's 48 ms are its own. */
	assert_non_null(
		strstr(text, "48 samples&#10;itself 5.5 % of all \xc2\xb7 8.00 ms</title>"));
	assert_non_null(strstr(text, "width=\"1180.00\"")); /* the box "all" */
	assert_int_equal(count(text, "http://"), count(text, "http://www.w3.org/"));
	assert_int_equal(count(text, "https://"), 0);
	free(text);
	profile_free(profile);
}

/* Programs share only the box "all". */
static void test_export__svg_has_a_root_for_each_program(void **state)
{
	struct report_options options = {.size = sizeof(options), .programs = true};
	struct profile *profile = fixture_stacks();
	size_t bytes;
	char *text = export(profile, "svg", &options, &bytes);

	(void)state;
	/* two programs more; main, run and parse are in both */
	assert_int_equal(count(text, "<g class=\"f\""), 21 + 2 + 3);
	assert_non_null(strstr(text, "<title>app&#10;"));
	assert_non_null(strstr(text, "<title>child&#10;"));
	free(text);
	profile_free(profile);
	profile = fixture_deep(5);
	text = export(profile, "svg", &options, &bytes);
	assert_null(strstr(text, "<title>[process]"));
	free(text);
	profile_free(profile);
}

static void test_export__svg_of_deep_recursion_is_not_high(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_deep(5000);
	size_t bytes;
	char *text = export(profile, "svg", &options, &bytes);

	(void)state;
	assert_int_equal(count(text, "<g class=\"f\""), 3);
	assert_non_null(strstr(text, "Recursion is folded: stacks are up to 5001 deep."));
	free(text);
	profile_free(profile);
}

/* A name cannot break out of the text. */
static void test_export__svg_escapes_names(void **state)
{
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_THREAD};
	struct profile *profile = fixture_hostile();
	size_t bytes;
	char *text = export(profile, "svg", &options, &bytes);

	(void)state;
	assert_int_equal(strlen(text), bytes);
	assert_int_equal(count(text, "<script>"), 1);
	assert_int_equal(count(text, "</script>"), 1);
	assert_int_equal(count(text, "]]>"), 1);
	assert_int_equal(count(text, "<svg"), 1);
	assert_int_equal(count(text, "onload=alert(2)&gt;"), count(text, "onload=alert(2)"));
	for (const char *p = text; *p;) {
		int32_t c = text_next(&p);

		assert_true(c >= 0x20 || c == '\n' || c == '\t');
		assert_true(c != 0xfffe && c != 0xffff && c != 0x202e);
	}
	free(text);
	profile_free(profile);
}

static void test_export__svg_text_escapes(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
		{"]]>", "]]&gt;"},
		{"\xff\001\xef\xbf\xbe", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc3\xa9\n", "\xc3\xa9&#10;"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		svg_text(out, cases[i].from);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].to);
		free(text);
	}
}

/* WCAG's strictest level requires a contrast of 7 to black text. */
static void test_export__svg_colors_are_light(void **state)
{
	static const char *const names[] = {"", "a", "main", "operator new", "x1", "x2", "x3"};
	static const double weight[] = {0.2126, 0.7152, 0.0722};

	(void)state;
	for (unsigned object = 0; object <= SVG_OBJECTS; object++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			double luminance = 0;
			unsigned part[3];
			char color[8];

			svg_color(object, names[i], color);
			assert_int_equal(
				sscanf(color, "#%2x%2x%2x", &part[0], &part[1], &part[2]), 3);
			/* sRGB's curve, approximated by a square */
			for (size_t j = 0; j < 3; j++)
				luminance += weight[j] * part[j] / 255 * part[j] / 255;
			assert_true((luminance + 0.05) / 0.05 >= 7);
		}
	}
}

/* Sums up the histograms of a gmon.out from @from to @to, in units of 1 / *@ret_rate s. */
static uint64_t gmon_bins(const char *data, size_t bytes, uint64_t from, uint64_t to,
	uint32_t *ret_rate, size_t *arcs)
{
	uint64_t low, high, sum = 0;
	size_t at = 20;

	*arcs = 0;
	assert_true(bytes >= 20);
	assert_memory_equal(data, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	while (at < bytes) {
		uint32_t n;

		if (data[at] == 1) {
			at += 21;
			++*arcs;
			continue;
		}
		assert_int_equal(data[at], 0);
		assert_true(bytes - at > 41);
		memcpy(&low, data + at + 1, 8);
		memcpy(&high, data + at + 9, 8);
		memcpy(&n, data + at + 17, 4);
		memcpy(ret_rate, data + at + 21, 4);
		assert_memory_equal(data + at + 25, "seconds\0\0\0\0\0\0\0\0s", 16);
		at += 41;
		assert_true(bytes - at >= n * (size_t)2);
		assert_int_equal((high - low) / n, 4);
		for (uint32_t i = 0; i < n; i++) {
			uint16_t bin;

			memcpy(&bin, data + at + i * 2, 2);
			if (low + i * 4 >= from && low + i * 4 < to)
				sum += bin;
		}
		at += n * (size_t)2;
	}
	assert_int_equal(at, bytes);
	return sum;
}

static void test_export__gmon_is_about_one_object(void **state)
{
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_stacks();
	size_t bytes, arcs;
	uint64_t sum;
	uint32_t rate;
	char *data = export(profile, "gmon", &options, &bytes), *problem = NULL;

	(void)state;
	/* all samples in app: without read, samples without a stack, and [unsampled] */
	sum = gmon_bins(data, bytes, 0, UINT64_MAX, &rate, &arcs);
	assert_int_equal(sum * 1000 / rate, 128);
	/* fib, the eighth function, has 25 ms */
	assert_int_equal(rate, 1000000);
	/*
	 * Arcs: main run, run parse, run eval, eval apply, apply eval, eval add, main fib, work
	 * eval. An arc begins at a call; here all calls in a function have one address.
	 */
	assert_int_equal(arcs, 8);
	free(data);
	options.object = "libc";
	data = export(profile, "gmon", &options, &bytes);
	/* work is no function of libc, so the arc to read begins in start_thread. */
	sum = gmon_bins(data, bytes, 0, UINT64_MAX, &rate, &arcs);
	assert_int_equal(sum * 1000 / rate, 12);
	assert_int_equal(arcs, 1);
	free(data);
	options.object = ".";
	assert_int_equal(export_find("gmon")->write(profile, &options, stderr, &problem), -EINVAL);
	assert_non_null(strstr(problem, "one object"));
	free(problem);
	profile_free(profile);
}

/* A bin has 16 bits: longer times take several histograms. */
static void test_export__gmon_holds_long_times(void **state)
{
	static const int64_t times_ns[] = {1, 499, 65535000, 65536000, INT64_C(70000000000),
		INT64_C(500000000000), INT64_C(9000000000000), INT64_C(360000000000000)};
	struct report_options options = {.size = sizeof(options)};

	(void)state;
	for (size_t i = 0; i < sizeof(times_ns) / sizeof(*times_ns); i++) {
		struct profile *profile = fixture_deep(1);
		int64_t values[VALUE_TYPES_MAX] = {1, times_ns[i] - FIXTURE_MS};
		struct sample sample = profile_sample(profile, 0);
		uint32_t rate, location = sample.location[0];
		size_t bytes, arcs;
		double ns;
		char *data;

		profile_set_value(profile, 0, VALUE_CPU_NS, 0);
		values[1] = times_ns[i];
		assert_true(profile_add_sample(profile, 0, &location, 1, values) >= 0);
		data = export(profile, "gmon", &options, &bytes);
		ns = (double)gmon_bins(data, bytes, 0, UINT64_MAX, &rate, &arcs) * 1e9;
		ns /= rate;
		assert_true(ns - (double)times_ns[i] <= 0.5e9 / rate &&
			(double)times_ns[i] - ns <= 0.5e9 / rate);
		/* The unit is at most a thousandth of a time of 1 ms or more. */
		assert_true(times_ns[i] < FIXTURE_MS || 1e9 / rate <= (double)times_ns[i] / 1000);
		free(data);
		profile_free(profile);
	}
}

/* A file of a few bytes may claim a gigabyte of code. */
static void test_export__gmon_of_much_code(void **state)
{
	const int64_t values[VALUE_TYPES_MAX] = {3, 12000000};
	const struct mapping mapping = {
		.start = 0x1000, .limit = 0x1000 + (UINT64_C(1) << 30), .file = "/usr/bin/app"};
	const uint32_t leaf[] = {0, 1};
	struct report_options options = {.size = sizeof(options)};
	struct profile *profile;
	size_t bytes, arcs;
	uint32_t rate;
	uint64_t sum;
	char *data;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	assert_int_equal(profile_add_mapping(profile, &mapping), 0);
	assert_int_equal(profile_add_task(profile, &(struct task){0}), 0);
	assert_int_equal(profile_add_location(profile, 0, 0x1100), 0);
	assert_int_equal(profile_add_location(profile, 0, 0x30000100), 1);
	for (size_t i = 0; i < 2; i++)
		assert_true(profile_add_sample(profile, 0, &leaf[i], 1, values) >= 0);
	data = export(profile, "gmon", &options, &bytes);
	assert_in_range(bytes, 1000, 100000);
	/* A statement of its own each: C does not say whether an operand is read before a call. */
	sum = gmon_bins(data, bytes, 0, UINT64_MAX, &rate, &arcs);
	assert_int_equal(sum * 1000 / rate, 24);
	sum = gmon_bins(data, bytes, 0x30000000, UINT64_MAX, &rate, &arcs);
	assert_int_equal(sum * 1000 / rate, 12);
	free(data);
	profile_free(profile);
}

/* 20 ms blocked, 3 ms in the run queue, 2 ms on a CPU. */
static void test_export__the_page_of_a_wall_profile_has_its_columns(void **state)
{
	const struct report_options options = {.size = sizeof(options)};
	struct profile *profile = fixture_stacks();
	int64_t values[VALUE_TYPES_MAX] = {0, 2000000, 25000000, 3000000, 20000000};
	uint32_t leaf = profile_sample(profile, 0).location[0];
	char *page;
	size_t bytes;

	(void)state;
	page = export(profile, "html", &options, &bytes);
	assert_null(strstr(page, "<th>blocked</th>"));
	free(page);
	assert_int_equal(profile_add_value_type(profile, "wall", "nanoseconds"), 2);
	assert_int_equal(profile_add_value_type(profile, "runqueue", "nanoseconds"), 3);
	assert_int_equal(profile_add_value_type(profile, "blocked", "nanoseconds"), 4);
	profile_set_default_value(profile, 2);
	assert_true(profile_add_sample(profile, 0, &leaf, 1, values) >= 0);
	page = export(profile, "html", &options, &bytes);
	assert_non_null(strstr(
		page, "<th>samples</th><th>cpu</th><th>queue</th><th>blocked</th><th>object</th>"));
	assert_non_null(strstr(page,
		"<td data-v=\"3000000\">3.00 ms</td>"
		"<td data-v=\"20000000\">20.00 ms</td>"));
	free(page);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_export__the_page_of_a_wall_profile_has_its_columns),
		cmocka_unit_test(test_export__svg_has_a_frame_for_each_call),
		cmocka_unit_test(test_export__svg_has_a_root_for_each_program),
		cmocka_unit_test(test_export__svg_of_deep_recursion_is_not_high),
		cmocka_unit_test(test_export__svg_escapes_names),
		cmocka_unit_test(test_export__svg_text_escapes),
		cmocka_unit_test(test_export__svg_colors_are_light),
		cmocka_unit_test(test_export__gmon_is_about_one_object),
		cmocka_unit_test(test_export__gmon_holds_long_times),
		cmocka_unit_test(test_export__gmon_of_much_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
