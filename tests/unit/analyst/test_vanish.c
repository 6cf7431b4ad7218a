/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyst/vanish.h"

enum { BYTES = 3 * 4096 };

static void test_vanish__a_truncated_file_reads_as_zeros(void **state)
{
	char name[] = "/tmp/vanish_XXXXXX", page[4096];
	volatile uint8_t *data;
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	memset(page, 'x', sizeof(page));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	data = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(data != MAP_FAILED);
	assert_int_equal(data[5000], 'x');
	vanish_survive();
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(data[4095], 'x');
	assert_int_equal(data[5000], 0);
	assert_int_equal(data[BYTES - 1], 0);
	assert_int_equal(munmap((void *)data, BYTES), 0);
	assert_int_equal(close(fd), 0);
}

/* The signal is sent, not caused by an access. */
static void test_vanish__a_sent_signal_still_ends_us(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		vanish_survive();
		(void)raise(SIGBUS);
		(void)raise(SIGBUS);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vanish__a_truncated_file_reads_as_zeros),
		cmocka_unit_test(test_vanish__a_sent_signal_still_ends_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
