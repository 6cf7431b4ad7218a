/* SPDX-License-Identifier: MIT */
/*
 * Profiling when a program forks, vforks, clones, starts threads or executes another program.
 * Native interface.
 *
 * With the argument "image", this program is its own new image.
 */
#include "tests/calls/live_native.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"

/* The exec tests map their buffer here, in the old image and in the new one. */
#define FIXED UINT64_C(0x30000000)

static unsigned *fixed_buffer(void)
{
	unsigned *p = mmap((void *)(uintptr_t)FIXED, 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	assert_ptr_equal(p, (void *)(uintptr_t)FIXED);
	return p;
}

/* In the new image, the old table counts nothing, nobody traces, and its own call works. */
static int be_new_image(void)
{
	unsigned *counts = fixed_buffer();

	if (live_tracer())
		return 2;
	(void)live_spin(LIVE_A, 0.5);
	for (unsigned i = 0; i < 1024; i++)
		if (counts[i])
			return 1;
	on(counts, 4096, LIVE_A);
	/* A thread that shares its CPU may get less than half of the ten expected ticks. */
	for (unsigned i = 0; i < 3 && counts[0] < 5; i++)
		(void)live_spin(LIVE_A, 0.1);
	off();
	return counts[0] < 5 ? 3 : 0;
}

static void exec_self(void)
{
	char *const argv[] = {(char *)"live_life", (char *)"image", NULL};

	(void)execv("/proc/self/exe", argv);
	_exit(99);
}

/* @shared_cpu: in shared memory, gets the child's CPU time. */
static pid_t fork_spinner(uint64_t at, double seconds, uint64_t *shared_cpu)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		*shared_cpu = live_spin(at, seconds);
		_exit(0);
	}
	return pid;
}

/* Tests clauses HPS-7, IRIX-32, AIX-25, SYSV-19; provokes the race fork_copies_the_table. */
static void test_live_life__fork_copies_the_table(void **state)
{
	unsigned *shared = live_buffer(16, MAP_SHARED), *own = live_buffer(16, MAP_PRIVATE);
	uint64_t cpu, *child_cpu = live_buffer(sizeof(*child_cpu), MAP_SHARED);
	unsigned before;
	pid_t pid;

	(void)state;
	on(shared, 16, LIVE_A);
	pid = fork_spinner(LIVE_A, 0.5, child_cpu);
	cpu = live_spin(LIVE_A, 0.5);
	live_reap(pid);
	off();
	live_about(shared[0], cpu + *child_cpu, LIVE_TICK_NS);

	on(own, 16, LIVE_A);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	live_about(own[0], cpu, LIVE_TICK_NS);
	pid = fork();
	assert_true(pid >= 0);
	before = own[0];
	if (pid == 0) {
		uint64_t mine = live_spin(LIVE_A, LIVE_SHORT);

		live_about(own[0] - before, mine, LIVE_TICK_NS);
		off();
		_exit(0);
	}
	live_reap(pid);
	before = own[0];
	/* Whatever the child did, the parent's profiling is still on. */
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(own[0] - before, cpu, LIVE_TICK_NS);
}

static int spin_in_clone(void *argument)
{
	uint64_t end = *(uint64_t *)argument;
	struct timespec ts;

	/* No locks of the C library: this process shares its parent's memory. */
	do
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	while ((uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec < end);
	_exit(0);
}

/* Tests clause IRIX-33 of docs/CONFORMANCE.md. */
static void test_live_life__shared_memory_processes(void **state)
{
	/* A bin for all addresses: the process spins in spin_in_clone() and in the vdso. */
	unsigned ov = 0;
	struct prof bin = {&ov, 4, 0, 2};
	uint64_t cpu = 300000000;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	(void)state;
	assert_ptr_not_equal(stack, MAP_FAILED);
	assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT | PROF_FAST), 0);
	pid = clone(spin_in_clone, stack + 65536, CLONE_VM | SIGCHLD, &cpu);
	assert_true(pid > 0);
	live_reap(pid);
	live_about(ov, cpu, LIVE_FAST_TICK_NS);
	/* As vfork() does. */
	ov = 0;
	pid = clone(spin_in_clone, stack + 65536, CLONE_VM | CLONE_VFORK | SIGCHLD, &cpu);
	assert_true(pid > 0);
	live_reap(pid);
	live_about(ov, cpu, LIVE_FAST_TICK_NS);
	off();
	assert_int_equal(munmap(stack, 65536), 0);
}

/* IRIX-33: the child's exec turns off the child only. */
static void test_live_life__vfork_and_exec(void **state)
{
	unsigned *counts = fixed_buffer(), before;
	uint64_t cpu;
	pid_t pid;

	(void)state;
	memset(counts, 0, 4096);
	on(counts, 4096, LIVE_A);
	cpu = live_spin(LIVE_A, 0.1);
	before = counts[0];
	live_about(before, cpu, LIVE_TICK_NS);
	pid = vfork();
	assert_true(pid >= 0);
	if (pid == 0)
		exec_self();
	live_reap(pid);
	cpu = live_spin(LIVE_A, 0.1);
	off();
	live_about(counts[0] - before, cpu, LIVE_TICK_NS);
}

/* C18: running and later threads are all profiled. */
static void test_live_life__all_threads(void **state)
{
	unsigned counts[4] = {0}, late[4] = {0};
	struct prof p[2] = {{counts, 16, LIVE_A, 0x10000}, {late, 16, LIVE_B, 0x10000}};
	uint64_t cpu[2];

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	live_spin_both(LIVE_A, LIVE_B, 0.3, cpu);
	off();
	live_about(counts[0], cpu[0], LIVE_TICK_NS);
	live_about(late[0], cpu[1], LIVE_TICK_NS);
}

static atomic_bool leave;

static void *spin_until_told(void *unused)
{
	(void)unused;
	while (!atomic_load(&leave))
		;
	return NULL;
}

static uint64_t between(const struct timespec *from, const struct timespec *to)
{
	return (uint64_t)(to->tv_sec - from->tv_sec) * 1000000000 + (uint64_t)to->tv_nsec -
		(uint64_t)from->tv_nsec;
}

static void test_live_life__thread_from_before(void **state)
{
	unsigned ov = 0;
	struct prof bin = {&ov, 4, 0, 2};
	struct timespec before, after, nap = {0, 5000000};
	pthread_t thread;
	clockid_t clock;
	uint64_t cpu, cpu_after;

	(void)state;
	atomic_store(&leave, false);
	assert_int_equal(pthread_create(&thread, NULL, spin_until_told, NULL), 0);
	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT), 0);
	assert_int_equal(clock_gettime(clock, &before), 0);
	do {
		(void)nanosleep(&nap, NULL);
		assert_int_equal(clock_gettime(clock, &after), 0);
		cpu = between(&before, &after);
	} while (cpu < 200000000);
	off();
	/* The CPU time during the call of "off" adds to the tolerance: it may be counted or not. */
	assert_int_equal(clock_gettime(clock, &after), 0);
	cpu_after = between(&before, &after);
	atomic_store(&leave, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	live_check_within(ov, (double)cpu / LIVE_TICK_NS,
		3 + (double)(cpu_after - cpu) / LIVE_TICK_NS, __FILE__, __LINE__);
}

/* HPS-7, IRIX-31, AIX-22, SYSV-18: exec turns profiling off. The new image is not traced. */
static void test_live_life__exec_turns_off(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		on(fixed_buffer(), 4096, LIVE_A);
		exec_self();
	}
	live_reap(pid);
}

static void test_live_life__failed_exec_leaves_on(void **state)
{
	unsigned counts[4] = {0};
	char *const argv[] = {(char *)"x", NULL};
	uint64_t cpu;

	(void)state;
	on(counts, 16, LIVE_A);
	assert_int_equal(execv("/nonexistent/program", argv), -1);
	assert_int_equal(errno, ENOENT);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(counts[0], cpu, LIVE_TICK_NS);
}

static void *exec_from_thread(void *unused)
{
	exec_self();
	return unused;
}

/* Another thread's exec ends the leader; no tick of the leader is counted in the new image. */
static void test_live_life__exec_never_receives_counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			unsigned *counts = fixed_buffer();
			struct prof p = {counts, 4, 0, 2};
			pthread_t thread;

			if (sprofil(&p, 1, NULL, PROF_UINT | PROF_FAST) < 0 ||
				pthread_create(&thread, NULL, exec_from_thread, NULL) != 0)
				_exit(98);
			for (;;)
				(void)live_burn(1);
		}
		live_reap(pid);
	}
}

/* The bin takes every tick of the process: a write after "off" returned would be seen. */
static void test_live_life__disable_returns_only_after_the_last_write(void **state)
{
	volatile unsigned *ov = live_buffer(4, MAP_PRIVATE);
	struct prof bin = {(void *)(uintptr_t)ov, 4, 0, 2};
	pthread_t thread;

	(void)state;
	atomic_store(&leave, false);
	assert_int_equal(pthread_create(&thread, NULL, spin_until_told, NULL), 0);
	for (unsigned i = 0; i < 100; i++) {
		unsigned after;

		assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT | PROF_FAST), 0);
		(void)live_burn(0.003);
		off();
		after = *ov;
		(void)live_burn(0.002);
		assert_int_equal(*ov, after);
	}
	live_chance(*ov, 201, 100000);
	atomic_store(&leave, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *seize_after_leader(void *unused)
{
	unsigned counts[4] = {0};
	struct timespec nap = {0, 20000000};
	uint64_t cpu;
	int supervisor;

	(void)unused;
	(void)nanosleep(&nap, NULL);
	on(counts, 16, LIVE_A);
	/* client_supervisor() must find the supervisor, though nobody traces the ended leader. */
	supervisor = client_supervisor();
	client_forget();
	on(counts, 16, LIVE_A);
	assert_int_equal(client_supervisor(), supervisor);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(counts[0], cpu, LIVE_TICK_NS);
	exit(0);
}

/* The race leader_exits_first of docs/PTRACE.md: calls of the other threads still work. */
static void test_live_life__leader_exits_first(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, seize_after_leader, NULL) != 0)
			_exit(96);
		pthread_exit(NULL);
	}
	live_reap(pid);
}

static void *live_shortly(void *nothing)
{
	(void)live_burn(0.015);
	return nothing;
}

static void test_live_life__short_threads_add_up(void **state)
{
	enum { THREADS = 60 };
	unsigned ov = 0;
	struct prof bin = {&ov, 4, 0, 2};
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT), 0);
	cpu = live_process_cpu();
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, live_shortly, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	live_settle();
	cpu = live_process_cpu() - cpu;
	off();
	/* + 1: this thread's account. */
	live_check_rounds(ov, cpu, LIVE_TICK_NS, THREADS + 1, __FILE__, __LINE__);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest alone[] = {
		cmocka_unit_test(test_live_life__all_threads),
		cmocka_unit_test(test_live_life__thread_from_before),
		cmocka_unit_test(test_live_life__failed_exec_leaves_on),
		cmocka_unit_test(test_live_life__disable_returns_only_after_the_last_write),
		cmocka_unit_test(test_live_life__short_threads_add_up),
	};
	static const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_life__fork_copies_the_table),
		cmocka_unit_test(test_live_life__shared_memory_processes),
		cmocka_unit_test(test_live_life__vfork_and_exec),
		cmocka_unit_test(test_live_life__exec_turns_off),
		cmocka_unit_test(test_live_life__exec_never_receives_counts),
		cmocka_unit_test(test_live_life__leader_exits_first),
	};

	if (argc > 1 && strcmp(argv[1], "image") == 0)
		return be_new_image();
	return live_run(alone) + live_run_with_children(with_children);
}
