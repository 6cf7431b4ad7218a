/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/profile_fixture.h"
#include "view/title.h"

static void expect(const struct profile *profile, unsigned files, const char *expected)
{
	char *title = title_of(profile, files, false);

	assert_non_null(title);
	assert_string_equal(title, expected);
	free(title);
}

static void merge(struct profile *into, const char *command)
{
	struct profile *from = fixture_profile();

	assert_int_equal(profile_set_command(from, command), 0);
	assert_int_equal(profile_merge(into, from), 0);
	profile_free(from);
}

static void test_title__names_each_command_once(void **state)
{
	struct profile *profile = fixture_profile(), *other = fixture_profile();

	(void)state;
	expect(profile, 0, "demo --fast");
	expect(profile, 1, "demo --fast");
	merge(profile, "demo --fast");
	expect(profile, 2, "2 files: demo --fast");
	merge(profile, "xz 'a b'");
	merge(profile, "xz 'a b'");
	expect(profile, 4, "4 files: demo --fast, xz 'a b'");
	/* one file, written after a merge */
	expect(profile, 1, "merged: demo --fast, xz 'a b'");
	assert_int_equal(profile_set_command(other, "xz 'a b'"), 0);
	assert_int_equal(profile_merge(other, profile), 0);
	expect(other, 2, "2 files: xz 'a b', demo --fast");
	profile_free(profile);
	profile_free(other);
}

static const char *executable(const char *command, const char *file)
{
	static char text[64];
	struct profile *profile = fixture_profile();
	int mapping = profile_add_mapping(
		profile, &(struct mapping){.file = file, .build_id = "", .start = 1});
	const char *name;

	profile_set_main(profile, fixture_index(mapping));
	assert_int_equal(profile_set_command(profile, command), 0);
	name = title_executable(profile);
	(void)snprintf(text, sizeof(text), "%s", name ? name : "-");
	profile_free(profile);
	return text;
}

/* A command that is a link or a script names the executable wrongly. */
static void test_title__names_the_executable_that_the_command_does_not(void **state)
{
	struct profile *profile = fixture_profile();

	(void)state;
	assert_string_equal(
		executable("redis-server *:6379", "/usr/bin/redis-check-rdb"), "redis-check-rdb");
	assert_string_equal(executable("/bin/sh -c 'a/b c'", "/usr/bin/dash"), "dash");
	assert_string_equal(executable("./run.sh", "/usr/bin/bash"), "bash");
	assert_string_equal(executable("nginx: worker process", "/usr/sbin/nginx"), "-");
	assert_string_equal(executable("/usr/bin/python3 a.py", "/usr/bin/python3.11"), "-");
	assert_string_equal(executable("demo2", "/x/demo"), "-");
	assert_string_equal(executable("-bash", "/usr/bin/bash"), "-");
	assert_string_equal(executable("'my prog' x", "/x/other"), "-");
	/* A live process has no command: its name is that of its samples. */
	assert_string_equal(executable("", "/x/other"), "other");
	assert_string_equal(executable("", "/x/demo"), "-");
	assert_string_equal(executable("a", ""), "-");
	assert_null(title_executable(profile));
	profile_free(profile);
}

static void test_title__of_what_has_no_command(void **state)
{
	struct profile *profile = NULL;

	(void)state;
	fixture_index(profile_new(&profile));
	expect(profile, 1, "profile");
	fixture_index(profile_add_mapping(profile, &(struct mapping){.file = "/usr/bin/demo"}));
	expect(profile, 1, "demo");
	fixture_index(profile_add_task(profile, &(struct task){7, 7, "server", "worker"}));
	expect(profile, 3, "3 files: server");
	profile_free(profile);
}

/* Escape characters of hostile command lines are replaced, and a list of very many is cut. */
static void test_title__is_clean_and_bounded(void **state)
{
	struct profile *profile = fixture_profile();
	char command[40], *title;

	(void)state;
	merge(profile, "evil\033[2J\n");
	/* Another program's note is no command of ours. */
	assert_int_equal(profile_add_comment(profile, PROFILE_MERGED_WITH "theirs"), 0);
	expect(profile, 2, "2 files: demo --fast, evil?[2J?");
	for (int i = 0; i < 200; i++) {
		(void)snprintf(command, sizeof(command), "command number %d", i);
		merge(profile, command);
	}
	title = title_of(profile, 202, true);
	assert_non_null(title);
	assert_true(strlen(title) < 1300);
	assert_string_equal(title + strlen(title) - 5, ", ...");
	free(title);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_title__names_each_command_once),
		cmocka_unit_test(test_title__names_the_executable_that_the_command_does_not),
		cmocka_unit_test(test_title__of_what_has_no_command),
		cmocka_unit_test(test_title__is_clean_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
