/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/proc_file.h"

/* A process may choose a name that looks like a line; the kernel prints its newline as \n. */
static const char status[] =
	"Name:\tUid:\t7\nUid:\t1000\t1001\t1002\t1003\nShdPnd:\t00000000000000a0\n"
	"NSpid:\t4711\t12\nSeccomp:\t2\nEmpty:\n";

static void test_proc_file__a_name_counts_at_the_beginning_of_a_line(void **state)
{
	(void)state;
	assert_int_equal(strncmp(proc_file_value(status, "Name"), "Uid:\t7\n", 7), 0);
	assert_int_equal(proc_file_number(status, "Uid", 10), 1000);
	assert_int_equal(proc_file_number(status, "ShdPnd", 16), 0xa0);
	assert_null(proc_file_value(status, "pid"));
	assert_null(proc_file_value(status, "Sec"));
	assert_null(proc_file_value("", "Uid"));
	assert_int_equal(proc_file_number(status, "Gid", 10), 0);
}

static void test_proc_file__the_last_number_of_a_line(void **state)
{
	(void)state;
	assert_int_equal(proc_file_last_number(status, "NSpid", 5), 12);
	assert_int_equal(proc_file_last_number(status, "Seccomp", 5), 2);
	assert_int_equal(proc_file_last_number(status, "Empty", 5), 5);
	assert_int_equal(proc_file_last_number(status, "NStgid", 5), 5);
	assert_int_equal(proc_file_last_number("NSpid:\t4711\t12", "NSpid", 5), 12);
}

static void test_proc_file__a_file_is_read_up_to_the_room(void **state)
{
	char text[4096] = "before", few[4];

	(void)state;
	assert_true(proc_file_read(text, sizeof(text), "/proc/%d/status", getpid()) > 100);
	assert_int_equal(proc_file_number(text, "Pid", 10), getpid());
	assert_int_equal(proc_file_read(few, sizeof(few), "/proc/self/status"), 3);
	assert_string_equal(few, "Nam");
	assert_true(proc_file_read(text, sizeof(text), "/proc/%s", "no such file") < 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc_file__a_name_counts_at_the_beginning_of_a_line),
		cmocka_unit_test(test_proc_file__the_last_number_of_a_line),
		cmocka_unit_test(test_proc_file__a_file_is_read_up_to_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
