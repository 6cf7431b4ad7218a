/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output.h"
#include "base/series.h"

static void name_is(const char *pattern, const char *wanted)
{
	const struct output_facts facts = {.pid = 42, .name = "a/b", .time = 0, .rank = "3"};
	char *name;

	assert_int_equal(output_name(pattern, &facts, &name), 0);
	assert_string_equal(name, wanted);
	free(name);
}

static void test_output__names(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	name_is("plain.pb.gz", "plain.pb.gz");
	name_is("x-%p-%n-%r-%%-%t", "x-42-a_b-3-%-19700101-000000");
	name_is("100%", "100%");
	name_is("%x%", "%x%");
	name_is("", "");
	assert_true(output_is_timed("a%p.%t.pb.gz"));
	assert_false(output_is_timed("%t/a.pb.gz"));
	assert_false(output_is_timed("100%%t.pb.gz"));
}

static void test_output__names_that_processes_choose(void **state)
{
	static const struct {
		const char *pattern, *process, *name;
	} cases[] = {
		{"%n.pb.gz", "-rf", "_rf.pb.gz"},
		{"a/%n.pb.gz", "-rf", "a/_rf.pb.gz"},
		{"%p-%n", "-rf", "42--rf"},
		{"%n", "..", "_."},
		{"%n", ".bashrc", "_bashrc"},
		{"%n", "~root", "_root"},
		{"x.%n", "a\nb\x1b[31m\x7f\t", "x.a_b_[31m__"},
		{"%n", "../../etc", "_._.._etc"},
		{"%n%n", "-", "_-"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct output_facts facts = {.pid = 42, .name = cases[i].process};
		char *name;

		assert_int_equal(output_name(cases[i].pattern, &facts, &name), 0);
		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

static void test_output__second_of_a_time(void **state)
{
	const struct output_facts facts = {.pid = 42, .name = "n", .time = 0, .number = 2};
	char *name;

	(void)state;
	assert_int_equal(output_name("x.%t.pb.gz", &facts, &name), 0);
	assert_string_equal(name, "x.19700101-000000_2.pb.gz");
	assert_true(series_has("x.%t.pb.gz", name));
	free(name);
}

static void test_output__rank_of_the_usual_launchers(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("OMPI_COMM_WORLD_RANK"), 0);
	assert_int_equal(unsetenv("SLURM_PROCID"), 0);
	assert_string_equal(output_rank(), "0");
	assert_int_equal(setenv("SLURM_PROCID", "17", 1), 0);
	assert_string_equal(output_rank(), "17");
	assert_int_equal(setenv("SLURM_PROCID", "../x", 1), 0);
	assert_string_equal(output_rank(), "0");
}

static void apart_is(const char *pattern, const char *expected)
{
	char *apart = output_apart(pattern, "%r");

	assert_string_equal(apart, expected);
	free(apart);
}

static void test_output__mark_before_the_suffix(void **state)
{
	(void)state;
	apart_is("sprof.pb.gz", "sprof.%r.pb.gz");
	apart_is("a.b/x.svg", "a.b/x.%r.svg");
	apart_is("a.b/x", "a.b/x.%r");
	apart_is("x.speedscope.json", "x.%r.speedscope.json");
	apart_is("gmon.out", "%r.gmon.out");
	apart_is("d/x-callgrind.out", "d/%r.x-callgrind.out");
	apart_is("d/x.callgrind.out", "d/x.%r.callgrind.out");
	apart_is("callgrind.out.%p", "callgrind.out.%p.%r");
	apart_is("gmon.out.1", "gmon.out.1.%r");
	apart_is("a.out.svg", "a.%r.out.svg");
	apart_is("run-1.2.svg", "run-1.2.%r.svg");
	apart_is(".hidden", ".hidden.%r");
	apart_is("d/.hidden.svg", "d/.hidden.%r.svg");
}

static void test_output__ranks_of_a_job(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("PMI_SIZE"), 0);
	assert_int_equal(output_ranks(), 1);
	assert_int_equal(setenv("PMI_SIZE", "64", 1), 0);
	assert_int_equal(output_ranks(), 64);
	assert_int_equal(setenv("PMI_SIZE", "-1", 1), 0);
	assert_int_equal(output_ranks(), 1);
	/* SLURM_NTASKS is also set in a batch script that runs as one process: it tells nothing. */
	assert_int_equal(setenv("SLURM_NTASKS", "4", 1), 0);
	assert_int_equal(output_ranks(), 1);
}

static void test_output__names_of_a_series(void **state)
{
	const struct output_facts facts = {.pid = 7, .name = "a%b", .time = 0, .rank = "3"};
	char *text;

	(void)state;
	text = output_timed("d.x/p.pb.gz");
	assert_string_equal(text, "d.x/p.%t.pb.gz");
	free(text);
	text = output_timed("%t/p.pb.gz");
	assert_string_equal(text, "%t/p.pb.gz");
	free(text);
	text = output_timed("100%%t.pb.gz");
	assert_string_equal(text, "100%%t.%t.pb.gz");
	free(text);
	assert_int_equal(output_series("%n.%p.%r.%t.100%%.pb.gz", &facts, &text), 0);
	assert_string_equal(text, "a%b.7.3.%t.100%%.pb.gz");
	free(text);
}

static void test_output__what_belongs_to_a_series(void **state)
{
	(void)state;
	assert_true(series_has("p.%t.pb.gz", "p.20260131-235959.pb.gz"));
	assert_true(series_has("%t", "20260131-235959"));
	assert_true(series_has("p.%t.pb.gz", "p.20260131-235959_12.pb.gz"));
	assert_false(series_has("p.%t.pb.gz", "p.20260131-235959_.pb.gz"));
	assert_false(series_has("p.%t.pb.gz", "p.20260131-235959_0.pb.gz"));
	assert_true(series_has("100%%.%t", "100%.20260131-235959"));
	assert_true(series_has("p", "p"));
	assert_false(series_has("p.%t.pb.gz", "p.20260131-235959.pb.gz.old"));
	assert_false(series_has("p.%t.pb.gz", "p.20260131-2359590.pb.gz"));
	assert_false(series_has("p.%t.pb.gz", "p.20260131-23595"));
	assert_false(series_has("p.%t.pb.gz", "p."));
	assert_false(series_has("p.%t.pb.gz", ""));
	assert_false(series_has("p.%t", "q.20260131-235959"));
	assert_false(series_has("%", "x"));
}

/* The piece of 714 is completed last, but those of 718 and 720 are the newest. */
static void test_output__the_oldest_of_a_series_goes_first(void **state)
{
	static const char *const name[] = {
		"p.20260131-000716", "p.20260131-000718", "p.20260131-000720", "p.20260131-000714"};
	static const time_t time[] = {716, 718, 720, 714};
	char path[] = "/tmp/seriesXXXXXX";
	int folder_fd;

	(void)state;
	assert_non_null(mkdtemp(path));
	folder_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder_fd >= 0);
	for (size_t i = 0; i < 4; i++) {
		int fd = openat(folder_fd, name[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		series_date(fd, time[i]);
		assert_int_equal(close(fd), 0);
		series_trim(folder_fd, "p.%t", 2);
	}
	assert_int_equal(unlinkat(folder_fd, name[1], 0), 0);
	assert_int_equal(unlinkat(folder_fd, name[2], 0), 0);
	assert_int_equal(close(folder_fd), 0);
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output__names),
		cmocka_unit_test(test_output__names_that_processes_choose),
		cmocka_unit_test(test_output__second_of_a_time),
		cmocka_unit_test(test_output__mark_before_the_suffix),
		cmocka_unit_test(test_output__ranks_of_a_job),
		cmocka_unit_test(test_output__names_of_a_series),
		cmocka_unit_test(test_output__what_belongs_to_a_series),
		cmocka_unit_test(test_output__the_oldest_of_a_series_goes_first),
		cmocka_unit_test(test_output__rank_of_the_usual_launchers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
