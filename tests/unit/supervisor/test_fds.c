/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "supervisor/target/fds.h"
#include "supervisor/target/target.h"

enum { PROCESSES = 3 };

static int open_any(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* An awaited stop needs open files: without pagemap, each page read needs a courier (pages.h). */
static void test_fds__a_process_whose_stop_is_awaited_keeps_its_files(void **state)
{
	struct target target = {0};
	struct process *process[PROCESSES];
	struct tracee *t[PROCESSES], *early;
	struct image *image;
	struct fds fds;
	int fd;

	(void)state;
	assert_int_equal(target_image(&target, "/bin/x", &image), 0);
	for (int i = 0; i < PROCESSES; i++) {
		assert_int_equal(target_add_process(&target, 10 + i, 0, image, &process[i]), 0);
		assert_int_equal(target_add(&target, 10 + i, process[i], &t[i]), 0);
		process[i]->fd[PROCESS_PAGEMAP] = open_any();
		process[i]->fd[PROCESS_MEM] = open_any();
	}
	/* A thread seen before its parent's event has no process yet. */
	assert_int_equal(target_add(&target, 20, NULL, &early), 0);
	early->stop_requested_ns = 1;
	t[1]->stop_requested_ns = 1;
	t[2]->restarting = true;
	fds_init(&fds, &target);
	fds.most = 3;
	fd = fds_keep(&fds, NULL, open_any());
	assert_true(fd < 0);
	assert_true(process[0]->fd[PROCESS_PAGEMAP] < 0 && process[0]->fd[PROCESS_MEM] < 0);
	for (int i = 1; i < PROCESSES; i++)
		assert_true(
			process[i]->fd[PROCESS_PAGEMAP] >= 0 && process[i]->fd[PROCESS_MEM] >= 0);

	t[1]->stop_requested_ns = 0;
	fds.again_ns = 0;
	assert_true(fds_keep(&fds, process[0], open_any()) < 0);
	assert_true(process[1]->fd[PROCESS_PAGEMAP] < 0);
	assert_true(process[2]->fd[PROCESS_PAGEMAP] >= 0);
	target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fds__a_process_whose_stop_is_awaited_keeps_its_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
