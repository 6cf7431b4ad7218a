/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/sample/moment.h"

#define MS UINT64_C(1000000)

static void test_moment__parses_milliseconds(void **state)
{
	uint64_t ns = 0;

	(void)state;
	assert_int_equal(
		moment_parse(
			"redis-server (11785, #threads: 5)\n"
			"-----------------------------------\n"
			"se.exec_start                                :      23722024.318874\n"
			"se.vruntime                                  :        521702.329359\n",
			&ns),
		0);
	assert_int_equal(ns, UINT64_C(23722024318874));
	/* A program may be called anything; the key begins a line. */
	assert_int_equal(moment_parse("se.exec_start : 1.000000 (1, #threads: 1)\n---\n"
				      "se.exec_start : 7.000001\n",
				 &ns),
		0);
	assert_int_equal(ns, 7 * MS + 1);
}

static void test_moment__refuses_other_texts(void **state)
{
	static const char *const wrong[] = {"", "se.exec_start", "\nse.exec_start",
		"\nse.exec_start :", "\nse.exec_start : 12", "\nse.exec_start : 12.5",
		"\nse.exec_start : x.000000", "\nse.exec_start 12.000000"};
	uint64_t ns;

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(moment_parse(wrong[i], &ns), -EPROTO);
}

static void test_moment__is_read_only_when_it_is_wanted(void **state)
{
	struct moment moment;

	(void)state;
	moment_init(&moment);
	moment_begin(&moment, false);
	assert_int_equal(moment.fd, -1);
	assert_int_equal(moment.other_fd, -1);
	assert_int_equal(moment_of(&moment, getpid(), getpid()), MOMENT_LATE);
	moment_begin(&moment, true);
	if (access("/proc/self/sched", R_OK) == 0)
		/* We are the one that came, and so not the one that was replaced, mostly. */
		assert_int_not_equal(moment_of(&moment, getpid(), getpid()), MOMENT_UNKNOWN);
	else
		assert_int_equal(moment_of(&moment, getpid(), getpid()), MOMENT_UNKNOWN);
	/* A thread that is gone. */
	assert_int_equal(moment_of(&moment, 1 << 30, 1 << 30), MOMENT_UNKNOWN);
	moment_begin(&moment, false);
	assert_int_equal(moment.ours, 0);
	moment_release(&moment);
	assert_int_equal(moment.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moment__parses_milliseconds),
		cmocka_unit_test(test_moment__refuses_other_texts),
		cmocka_unit_test(test_moment__is_read_only_when_it_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
