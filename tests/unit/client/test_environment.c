/* SPDX-License-Identifier: MIT */
#include "client/client.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define NAME "SPROFIL_OF_TEST"
#define PAGE 4096u

static char value[PAGE];

static int get(void)
{
	memset(value, '?', sizeof(value));
	return client_environment(NAME, value, sizeof(value));
}

static void test_environment__as_it_is_now(void **state)
{
	(void)state;
	assert_int_equal(unsetenv(NAME), 0);
	assert_int_equal(get(), -ENOENT);
	assert_int_equal(setenv(NAME, "/usr/bin", 1), 0);
	assert_int_equal(get(), 8);
	assert_string_equal(value, "/usr/bin");
	assert_int_equal(setenv(NAME, "", 1), 0);
	assert_int_equal(get(), 0);
	assert_int_equal(unsetenv(NAME), 0);
	assert_int_equal(get(), -ENOENT);
	errno = 4711;
	assert_int_equal(get(), -ENOENT);
	assert_int_equal(errno, 4711);
}

static void test_environment__whole_names_only(void **state)
{
	char *entries[] = {(char *)NAME "S=1", (char *)"X" NAME "=1", (char *)NAME, (char *)"=",
		(char *)"", (char *)NAME "=yes=no", NULL};
	char **before = environ;

	(void)state;
	environ = entries;
	assert_int_equal(get(), 6);
	assert_string_equal(value, "yes=no");
	entries[5] = NULL;
	assert_int_equal(get(), -ENOENT);
	environ = before;
}

static void test_environment__the_length_of_the_value(void **state)
{
	char text[300], to[300];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[299] = '\0';
	assert_int_equal(setenv(NAME, text, 1), 0);
	assert_int_equal(client_environment(NAME, to, 300), 299);
	assert_string_equal(to, text);
	assert_int_equal(client_environment(NAME, to, 299), -ENOSPC);
	assert_int_equal(client_environment(NAME, to, 1), -ENOSPC);
	assert_int_equal(unsetenv(NAME), 0);
}

/* From the last bytes of a page to the end of the next one, behind which nothing is mapped. */
static void test_environment__a_value_of_two_pages(void **state)
{
	static char to[2 * PAGE];
	char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *text = at + PAGE - 10, *entry = text - strlen(NAME "="), *entries[] = {entry, NULL};
	char **before = environ;

	(void)state;
	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(munmap(at + 2 * PAGE, PAGE), 0);
	for (unsigned i = 0; i < PAGE + 9; i++)
		text[i] = (char)('a' + i % 23);
	memcpy(entry, NAME "=", strlen(NAME "="));
	environ = entries;
	assert_int_equal(client_environment(NAME, to, sizeof(to)), PAGE + 9);
	assert_string_equal(to, text);
	/* just enough room; then a byte too few, on the second page */
	assert_int_equal(client_environment(NAME, to, PAGE + 10), PAGE + 9);
	memset(to, '?', sizeof(to));
	assert_int_equal(client_environment(NAME, to, PAGE + 9), -ENOSPC);
	assert_int_equal(to[PAGE + 9], '?');
	environ = before;
	assert_int_equal(munmap(at, 2 * PAGE), 0);
}

static void test_environment__the_length_of_the_name(void **state)
{
	char name[] = "SPROFIL_NAME_OF_AS_MANY_AS_33_YY"; /* with its NUL */

	(void)state;
	assert_int_equal(setenv(name, "long", 1), 0);
	assert_int_equal(client_environment(name, value, sizeof(value)), -ENOENT);
	assert_int_equal(unsetenv(name), 0);
	name[31] = '\0';
	assert_int_equal(setenv(name, "fits", 1), 0);
	assert_int_equal(client_environment(name, value, sizeof(value)), 4);
	assert_int_equal(unsetenv(name), 0);
}

static void test_environment__many_entries(void **state)
{
	static char *entries[1000];
	char **before = environ;

	(void)state;
	for (unsigned i = 0; i < 999; i++)
		entries[i] = (char *)"SOMETHING=else, and rather long";
	for (unsigned at = 0; at < 999; at += 37) {
		char *old = entries[at];

		entries[at] = (char *)NAME "=here";
		environ = entries;
		assert_int_equal(get(), 4);
		environ = before;
		entries[at] = old;
	}
	environ = entries;
	assert_int_equal(get(), -ENOENT);
	environ = NULL;
	assert_int_equal(get(), -ENOENT);
	environ = before;
}

/* The search ends after 65,536 entries, and in a string without an end. */
static void test_environment__the_most_entries(void **state)
{
	static _Alignas(PAGE) char *entries[65536 + 2];
	char **before = environ;

	(void)state;
	for (unsigned i = 0; i < 65536; i++)
		entries[i] = (char *)"SOMETHING=else, and rather long";
	entries[65536] = (char *)NAME "=late";
	environ = entries;
	assert_int_equal(get(), -ENOENT);
	entries[65535] = (char *)NAME "=last";
	assert_int_equal(get(), 4);
	assert_string_equal(value, "last");
	environ = before;
}

static char *page_and_end(void)
{
	char *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(munmap(at + PAGE, PAGE), 0);
	return at;
}

/* Strings and the array of pointers end where mapped memory does. */
static void test_environment__nothing_is_behind(void **state)
{
	static const char last[] = NAME "=1";
	char *page = page_and_end(), *strings = page_and_end();
	char **entries = (char **)(void *)(page + PAGE) - 3;
	char **before = environ;

	(void)state;
	entries[0] = strings + PAGE - 2; /* shorter than the name */
	memcpy(entries[0], "A", 2);
	entries[1] = strings + PAGE - 2 - sizeof(last);
	memcpy(entries[1], last, sizeof(last));
	environ = entries;
	assert_int_equal(get(), 1);
	assert_string_equal(value, "1");
	/* An array without NULL up to the end of memory; then one in unmapped memory. */
	entries[1] = entries[2] = entries[0];
	assert_int_equal(get(), -ENOENT);
	environ = (char **)(void *)(page + PAGE);
	assert_int_equal(get(), -ENOENT);
	environ = before;
	assert_int_equal(munmap(page, PAGE), 0);
	assert_int_equal(munmap(strings, PAGE), 0);
}

/* Entries are copied many at once; a short one ends where mapped memory does. */
static void test_environment__nothing_is_behind_one_of_many(void **state)
{
	static _Alignas(PAGE) char *entries[72];
	char *strings = page_and_end(), **before = environ;

	(void)state;
	for (unsigned i = 0; i < 70; i++)
		entries[i] = (char *)"SOMETHING=else, and rather long";
	entries[5] = strings + PAGE - 2;
	memcpy(entries[5], "A", 2);
	environ = entries;
	assert_int_equal(get(), -ENOENT);
	entries[70] = (char *)NAME "=behind";
	assert_int_equal(get(), 6);
	assert_string_equal(value, "behind");
	environ = before;
	assert_int_equal(munmap(strings, PAGE), 0);
}

/* The caller may go on without the variable, so errno and the cancellation state stay. */
static void test_environment__without_descriptors(void **state)
{
	struct rlimit limit, none;
	int cancel;

	(void)state;
	assert_int_equal(setenv(NAME, "there", 1), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 4711;
	assert_int_equal(get(), -ENOENT);
	assert_int_equal(errno, 4711);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel), 0);
	assert_int_equal(cancel, PTHREAD_CANCEL_ENABLE);
	assert_int_equal(get(), 5);
	assert_int_equal(unsetenv(NAME), 0);
}

static atomic_bool done;

static void *change(void *nothing)
{
	char name[32];

	for (unsigned i = 0; !done; i++) {
		(void)snprintf(name, sizeof(name), "OTHER_%u", i % 500);
		(void)setenv(name, "something", 1);
		if (i % 3)
			(void)unsetenv(name);
	}
	return nothing;
}

/* Another thread calls setenv() all the time: the value is found, or none. */
static void test_environment__while_it_changes(void **state)
{
	pthread_t thread;
	unsigned found = 0;

	(void)state;
	assert_int_equal(setenv(NAME, "well", 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, change, NULL), 0);
	for (unsigned i = 0; i < 5000; i++) {
		int r = get();

		assert_true(r == -ENOENT || r == 4);
		if (r == 4)
			assert_string_equal(value, "well");
		found += r == 4;
	}
	done = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(found > 0);
	assert_int_equal(get(), 4);
	assert_int_equal(unsetenv(NAME), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment__as_it_is_now),
		cmocka_unit_test(test_environment__whole_names_only),
		cmocka_unit_test(test_environment__the_length_of_the_value),
		cmocka_unit_test(test_environment__a_value_of_two_pages),
		cmocka_unit_test(test_environment__the_length_of_the_name),
		cmocka_unit_test(test_environment__many_entries),
		cmocka_unit_test(test_environment__the_most_entries),
		cmocka_unit_test(test_environment__nothing_is_behind),
		cmocka_unit_test(test_environment__nothing_is_behind_one_of_many),
		cmocka_unit_test(test_environment__without_descriptors),
		cmocka_unit_test(test_environment__while_it_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
