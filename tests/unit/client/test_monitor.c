/* SPDX-License-Identifier: MIT */
/*
 * monitor(3) and its relatives when the call that turns profiling on or off fails:
 * client/monitor.c. The call, and the memory of the counters, are this test's.
 */
#include <sys/mman.h>

static void *fake_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
static int fake_munmap(void *at, size_t bytes);
#define mmap   fake_mmap
#define munmap fake_munmap
#include "client/monitor.c"
#undef mmap
#undef munmap

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static unsigned mappings; /* that exist */

static void *fake_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	mappings++;
	return mmap(at, bytes, protection, flags, fd, offset);
}

static int fake_munmap(void *at, size_t bytes)
{
	mappings--;
	return munmap(at, bytes);
}

/* Results of the calls that turn on and off, how often each was made, the last table. */
static int result_of_on, result_of_off;
static unsigned ons, offs, files;
static int number;
static bool has_table; /* of another call */

int client_table(void)
{
	return number;
}

bool client_has_table(void)
{
	return has_table;
}

int client_run(const struct client_call *call)
{
	int r = call->count ? result_of_on : result_of_off;

	ons += call->count != 0;
	offs += call->count == 0;
	if (r < 0)
		return r;
	number++;
	return call->count ? number : 0;
}

int client_result(int r)
{
	errno = r < 0 ? -r : errno;
	return r < 0 ? -1 : 0;
}

uint16_t monitor_hz(enum call_dialect dialect)
{
	(void)dialect;
	return 100;
}

int monitor_write_mon(const struct monitor *monitor)
{
	assert_non_null(monitor->counter);
	files++;
	return 0;
}

int monitor_write_gmon(const struct monitor *monitor)
{
	return monitor_write_mon(monitor);
}

bool monitor_is_unwanted(enum call_dialect dialect)
{
	(void)dialect;
	return false;
}

static int begin(void **state)
{
	(void)state;
	now = (struct monitor){.counter = NULL};
	running = doubtful = 0;
	result_of_on = result_of_off = 0;
	number = 1;
	ons = offs = files = mappings = 0;
	return 0;
}

static int error_of(int result)
{
	return result < 0 ? errno : 0;
}

static int start_own(void)
{
	return error_of(sprofil_native_monstartup(0x400000, 0x401000));
}

static int start_in_buffer(void)
{
	static unsigned short buffer[100];

	return error_of(sprofil_native_monitor((void (*)(void))(uintptr_t)0x400000,
		(void (*)(void))(uintptr_t)0x400040, buffer, 100, 0));
}

static int end_in_buffer(void)
{
	return error_of(sprofil_native_monitor(NULL, NULL, NULL, 0, 0));
}

/* Certainly nothing was turned on: the counters are unmapped at once. */
static void test_monitor__fails_for_certain(void **state)
{
	(void)state;
	result_of_on = -EMFILE;
	assert_int_equal(start_own(), EMFILE);
	assert_int_equal(mappings, 0);
	assert_int_equal(start_in_buffer(), EMFILE);
	assert_int_equal(error_of(sprofil_mcleanup()), 0);
	assert_int_equal(end_in_buffer(), 0);
	assert_int_equal(sprofil_moncontrol(1), 0);
	assert_true(ons == 2 && offs == 0 && files == 0);
}

/* The table may be in force: counters stay until a call turned it off; no file is written. */
static void test_monitor__perhaps_turned_on(void **state)
{
	static const int errors[] = {ETIMEDOUT, EPERM};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		(void)begin(NULL);
		result_of_on = -errors[i];
		assert_int_equal(start_own(), errors[i]);
		assert_true(mappings == 1 && offs == 0);
		result_of_off = -ETIMEDOUT;
		assert_int_equal(error_of(sprofil_mcleanup()), ETIMEDOUT);
		assert_int_equal(start_own(), ETIMEDOUT);
		assert_true(ons == 1 && offs == 2 && mappings == 1);
		result_of_off = 0;
		assert_int_equal(error_of(sprofil_mcleanup()), 0);
		assert_true(offs == 3 && mappings == 0);
		assert_int_equal(error_of(sprofil_mcleanup()), 0);
		assert_true(offs == 3 && files == 0);
		/* A buffer of the program, which may free it after "off". */
		assert_int_equal(start_in_buffer(), errors[i]);
		assert_int_equal(sprofil_moncontrol(1), 0);
		assert_int_equal(end_in_buffer(), 0);
		assert_true(ons == 2 && offs == 4 && files == 0);
		/* The next start turns off, too. */
		assert_int_equal(start_own(), errors[i]);
		result_of_on = 0;
		assert_int_equal(start_own(), 0);
		assert_true(offs == 5 && mappings == 1);
		assert_int_equal(error_of(sprofil_mcleanup()), 0);
		assert_true(offs == 6 && mappings == 0 && files == 1);
	}
}

/* A later call of the program has replaced the table, whether that was in force or not. */
static void test_monitor__perhaps_turned_on_and_replaced(void **state)
{
	(void)state;
	result_of_on = -ETIMEDOUT;
	assert_int_equal(start_own(), ETIMEDOUT);
	assert_int_equal(mappings, 1);
	number++;
	assert_int_equal(error_of(sprofil_mcleanup()), 0);
	assert_true(offs == 0 && mappings == 0);
}

/* Resuming fails: the histogram stays, can be resumed again, and is turned off at its end. */
static void test_monitor__perhaps_resumed(void **state)
{
	(void)state;
	assert_int_equal(start_own(), 0);
	assert_int_equal(sprofil_moncontrol(0), 1);
	assert_int_equal(offs, 1);
	result_of_on = -EPERM;
	assert_int_equal(error_of(sprofil_moncontrol(1)), EPERM);
	assert_int_equal(error_of(sprofil_moncontrol(1)), EPERM);
	assert_int_equal(ons, 3);
	assert_int_equal(sprofil_moncontrol(0), 0);
	assert_int_equal(offs, 2);
	assert_int_equal(error_of(sprofil_moncontrol(1)), EPERM);
	assert_int_equal(error_of(sprofil_mcleanup()), 0);
	assert_true(offs == 3 && mappings == 0 && files == 1);
}

/* A refusal does not turn off the table of another call; the counters stay. */
static void test_monitor__refused_beside_another_table(void **state)
{
	(void)state;
	has_table = true;
	result_of_on = -EPERM;
	assert_int_not_equal(start_own(), 0);
	assert_int_equal(error_of(sprofil_mcleanup()), 0);
	assert_true(offs == 0 && mappings == 1);
	has_table = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_monitor__refused_beside_another_table, begin),
		cmocka_unit_test_setup(test_monitor__fails_for_certain, begin),
		cmocka_unit_test_setup(test_monitor__perhaps_turned_on, begin),
		cmocka_unit_test_setup(test_monitor__perhaps_turned_on_and_replaced, begin),
		cmocka_unit_test_setup(test_monitor__perhaps_resumed, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
