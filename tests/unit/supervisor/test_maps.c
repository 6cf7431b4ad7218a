/* SPDX-License-Identifier: MIT */
/*
 * When the maps of a process are read again (supervisor/target/maps.h). The process is this one, or
 * a child whose first thread has ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/proc_file.h"
#include "supervisor/os/courier.h"
#include "supervisor/os/remote.h"
#include "supervisor/os/say.h"
#include "supervisor/target/maps.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/tracee_memory.h"

#define PATIENCE_NS UINT64_C(30000000000)

static void count(void *context, struct process *process, const char *text)
{
	(void)process;
	(void)text;
	++*(unsigned *)context;
}

static bool pass_on(
	void *context, struct process *process, const char *text, size_t bytes, uint64_t now_ns)
{
	(void)context;
	(void)process;
	(void)text;
	(void)bytes;
	(void)now_ns;
	return true;
}

static const struct maps_events events = {count, pass_on};

/*
 * Once its C library and loader are mapped, a new image may have as much code as the old one. The
 * two must not be compared, or the new image's library is missed.
 */
static void test_maps__a_new_image_is_not_compared_with_the_old(void **state)
{
	struct target target = {0};
	const struct say say = {0};
	struct procfiles files;
	unsigned reads = 0;
	struct maps_reader reader = {
		.files = &files, .stacks = true, .events = &events, .context = &reads};
	uint64_t pc = (uint64_t)(uintptr_t)&count;
	struct process *process;
	struct image *image;

	(void)state;
	procfiles_init(&files, &target, &say);
	assert_int_equal(target_image(&target, "/x", &image), 0);
	assert_int_equal(target_add_process(&target, getpid(), 1, image, &process), 0);
	for (unsigned round = 0; round < 3; round++) {
		reads = 0;
		/* A mapping made during a reading is noticed at the next one. */
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 1);
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 2);
		maps_cover(&reader, process, pc, clock_now());
		assert_int_equal(reads, 2);
		maps_forget(process);
	}
	maps_release(&reader);
	target_release(&target);
}

static void *stay(void *context)
{
	for (;;)
		(void)pause();
	return context;
}

/* A child whose first thread ends soon, while a second one lives. */
static int fork_leaderless(void)
{
	int pid = fork();
	pthread_t thread;

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, stay, NULL) != 0)
			_exit(1);
		(void)syscall(SYS_exit, 0);
	}
	assert_true(pid > 0);
	return pid;
}

/*
 * When the first thread has ended, another one is read. Stops requested before still find pagemap
 * open, so no courier is sent for pages that are in memory.
 */
static void test_maps__pagemap_stays_open_when_another_thread_is_read(void **state)
{
	static uint8_t page[16384], copy[16];
	struct target target = {0};
	const struct say say = {0};
	struct couriers couriers = {0};
	struct procfiles files;
	unsigned reads = 0;
	struct maps_reader reader = {
		.files = &files, .stacks = true, .events = &events, .context = &reads};
	uint64_t until = clock_now() + PATIENCE_NS;
	struct process *process;
	struct remote memory;
	struct image *image;
	int pid, tid;

	(void)state;
	page[8192] = 7;
	pid = fork_leaderless();
	while ((tid = proc_file_living_thread(pid)) == pid)
		assert_true(clock_now() < until);
	procfiles_init(&files, &target, &say);
	assert_int_equal(target_image(&target, "/x", &image), 0);
	assert_int_equal(target_add_process(&target, pid, 1, image, &process), 0);
	process->memory.couriers = &couriers;
	procfiles_open_memory(&files, process, tid);
	maps_cover(&reader, process, (uint64_t)(uintptr_t)&count, clock_now());
	assert_int_equal(reads, 1);
	assert_int_equal(procfiles_reader(process), tid);
	memory = tracee_memory_of(process, tid);
	assert_int_equal(remote_read(&memory, (uintptr_t)&page[8192], copy, sizeof(copy)), 16);
	assert_int_equal(copy[0], 7);
	assert_int_equal(couriers.courier[0].state, COURIER_NONE);
	couriers_release(&couriers);
	maps_release(&reader);
	target_release(&target);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps__pagemap_stays_open_when_another_thread_is_read),
		cmocka_unit_test(test_maps__a_new_image_is_not_compared_with_the_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
