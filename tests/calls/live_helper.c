/* SPDX-License-Identifier: MIT */
/*
 * Calls and their helper in adverse conditions: closed descriptors; other tracers; a helper that is
 * killed, leaves or cannot be started; hostile messages; calls from many threads, from a signal
 * handler and in quick succession. Native interface.
 */
#include "tests/calls/live_native.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"

/* Calls work if the program closes all descriptors before or after its first call. */
static void test_live_life__all_descriptors_closed(void **state)
{
	pid_t pid;

	(void)state;
	for (unsigned when = 0; when < 2; when++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			unsigned counts[4] = {0};
			uint64_t cpu;

			if (when == 1)
				on(counts, 16, LIVE_B);
			closefrom(0);
			on(counts, 16, LIVE_A);
			cpu = live_spin(LIVE_A, LIVE_SHORT);
			off();
			live_about(counts[0], cpu, LIVE_TICK_NS);
			_exit(0);
		}
		live_reap(pid);
	}
}

static void *call_on_and_off(void *failures)
{
	unsigned counts[4] = {0};
	struct prof p = {counts, 16, LIVE_C, 0x10000};

	for (unsigned i = 0; i < 50; i++) {
		if (sprofil(&p, 1, NULL, PROF_UINT) < 0 || sprofil(NULL, 0, NULL, 0) < 0)
			atomic_fetch_add((atomic_int *)failures, 1);
	}
	return NULL;
}

/* First calls of many threads at once start one helper, and each gets its answer. */
static void test_live_life__calls_from_many_threads(void **state)
{
	pid_t pid = fork(); /* the child has no helper yet */

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		static atomic_int failures;
		pthread_t thread[16];

		for (unsigned i = 0; i < 16; i++)
			if (pthread_create(&thread[i], NULL, call_on_and_off, &failures) != 0)
				_exit(97);
		for (unsigned i = 0; i < 16; i++)
			(void)pthread_join(thread[i], NULL);
		_exit(atomic_load(&failures) ? 1 : 0);
	}
	live_reap(pid);
}

static void test_live_life__traced_by_another(void **state)
{
	int ready[2];
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		unsigned counts[4] = {0};
		struct prof p = {counts, 16, LIVE_A, 0x10000};

		if (read(ready[0], &c, 1) != 1)
			_exit(96);
		errno = 0;
		if (sprofil(&p, 1, NULL, PROF_UINT) != -1 || errno != EPERM)
			_exit(1);
		_exit(sprofil(NULL, 0, NULL, 0) == 0 ? 0 : 2);
	}
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	assert_int_equal(write(ready[1], "x", 1), 1);
	live_reap(pid);
	assert_int_equal(close(ready[0]), 0);
	assert_int_equal(close(ready[1]), 0);
}

/* Without the supervisor's program: EPERM, and no child is left. */
static void test_live_life__no_supervisor(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		unsigned counts[4] = {0};
		struct prof p = {counts, 16, LIVE_A, 0x10000};

		if (setenv("SPROFIL_SUPERVISOR", "/nonexistent/supervisor", 1) < 0)
			_exit(96);
		if (sprofil(&p, 1, NULL, PROF_UINT) != -1 || errno != EPERM)
			_exit(1);
		_exit(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD ? 0 : 2);
	}
	live_reap(pid);
}

/*
 * Some tests start this program as its own helper. A shared page, in the file of this unused
 * descriptor, tells the helper what to do, and takes its report.
 */
#define SHARED_FD 100

struct shared {
	enum { CHECK, SAY_NOTHING, INTERRUPT } what;
	/* @leave: the process that holds the helper's pipe open must end; @left: it has ended */
	atomic_bool leave, left;
	atomic_bool interrupted; /* the helper has sent its signal */
};

static struct shared *share(void)
{
	struct shared *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

/* Has the helper no environment, a session and a group of its own, all signals blocked? */
static bool is_apart(void)
{
	sigset_t mask;

	if (sigprocmask(SIG_SETMASK, NULL, &mask) < 0)
		return false;
	/* Not the real-time signals: the C library uses two of them. */
	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP && !sigismember(&mask, i))
			return false;
	return !environ[0] && getsid(0) == getpid() && getpgid(0) == getpid();
}

/* A forked process that holds the helper's pipe open, for at most 8 s. */
static void hold_on(struct shared *shared)
{
	for (unsigned i = 0; i < 800 && !atomic_load(&shared->leave); i++)
		(void)usleep(10000);
	atomic_store(&shared->left, true);
}

/* Sends a signal to the program once it sleeps in its call. Returns when the handler has run. */
static void interrupt(struct shared *shared, const char *pid)
{
	char path[32], state = 0;

	(void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	for (unsigned i = 0; i < 6000 && state != 'S'; i++) {
		FILE *file = fopen(path, "re");

		if (file && fscanf(file, "%*d %*s %c", &state) != 1)
			state = 0;
		if (file)
			(void)fclose(file);
		(void)usleep(10000);
	}
	(void)kill(atoi(pid), SIGUSR1);
	for (unsigned i = 0; i < 6000 && !atomic_load(&shared->interrupted); i++)
		(void)usleep(10000);
}

/* Answers EBUSY if is_apart(), as the test expects; else EPERM. */
static int be_helper(char **argv)
{
	struct shared *shared = share();
	struct call_answer answer = {.error = is_apart() ? EBUSY : EPERM};
	uint8_t data[CALL_ANSWER_BYTES];
	int ready_fd = atoi(argv[3]), go_fd = atoi(argv[4]);
	char go;

	if (!shared || read(go_fd, &go, 1) != 1)
		return 1;
	if (shared->what == SAY_NOTHING) {
		if (fork() == 0)
			hold_on(shared);
		return 0;
	}
	if (shared->what == INTERRUPT)
		interrupt(shared, argv[2]);
	if (call_put_answer(data, sizeof(data), &answer) < 0)
		return 2;
	return write(ready_fd, data, sizeof(data)) == (ssize_t)sizeof(data) ? 0 : 3;
}

/* Returns what client_start() returns in a child whose helper is this program, doing @what. */
static int start_ourselves(unsigned what, struct shared **ret_shared)
{
	struct shared *shared;
	int fd = memfd_create("shared", 0);

	if (fd < 0 || ftruncate(fd, 4096) < 0 || dup2(fd, SHARED_FD) < 0 || close(fd) < 0 ||
		setenv("SPROFIL_SUPERVISOR", "/proc/self/exe", 1) < 0)
		_exit(96);
	shared = share();
	if (!shared)
		_exit(97);
	shared->what = what;
	*ret_shared = shared;
	return client_start();
}

/* A signal from the terminal to the program does not end the helper, even right after its start. */
static void test_live_helper__has_nothing_of_ours(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct shared *shared;

		_exit(start_ourselves(CHECK, &shared) == -EBUSY ? 0 : 1);
	}
	live_reap(pid);
}

/* The call fails when the helper ends, though a forked process holds the helper's pipe open. */
static void test_live_helper__says_nothing(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct shared *shared;

		if (start_ourselves(SAY_NOTHING, &shared) != -EPERM)
			_exit(1);
		if (atomic_load(&shared->left))
			_exit(2);
		atomic_store(&shared->leave, true);
		_exit(0);
	}
	live_reap(pid);
}

static struct shared *noted;

static void note_interruption(int signal)
{
	(void)signal;
	atomic_store(&noted->interrupted, true);
}

/* A call goes on waiting for its answer after the program's signal handler has run. */
static void test_live_helper__interrupts_the_wait(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct sigaction action = {.sa_handler = note_interruption};

		if (sigaction(SIGUSR1, &action, NULL) < 0)
			_exit(95);
		if (start_ourselves(INTERRUPT, &noted) != -EBUSY)
			_exit(1);
		_exit(atomic_load(&noted->interrupted) ? 0 : 2);
	}
	live_reap(pid);
}

/* A subreaper, like a container's first process, gets orphans as children, but not the helper. */
static void test_live_life__helper_is_not_our_child(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		unsigned counts[4] = {0};

		if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
			_exit(96);
		on(counts, 16, LIVE_A);
		(void)live_spin(LIVE_A, LIVE_SHORT);
		off();
		if (counts[0] < 5)
			_exit(3);
		_exit(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 2);
	}
	live_reap(pid);
}

static void test_live_life__helper_is_killed(void **state)
{
	unsigned counts[4] = {0};
	uint64_t cpu;
	int helper;

	(void)state;
	on(counts, 16, LIVE_A);
	helper = live_tracer();
	assert_true(helper > 1);
	assert_int_equal(kill(helper, SIGKILL), 0);
	(void)live_spin(LIVE_A, 0.1);
	counts[0] = 0;
	on(counts, 16, LIVE_A);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(counts[0], cpu, LIVE_TICK_NS);
}

/* sprofil-watch continues a stopped helper at once: the program would stop at its next tick. */
static void test_live_helper__goes_on_if_stopped(void **state)
{
	unsigned counts[4] = {0};
	struct sprofil_state status;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		on(counts, 16, LIVE_A);
		assert_int_equal(sprofil_status(&status, sizeof(status)), 0);
		assert_true(status.supervisor > 0);
		assert_int_equal(kill(status.supervisor, SIGSTOP), 0);
		(void)live_spin(LIVE_A, LIVE_SHORT);
		off();
	}
	assert_true(counts[0] > 0);
}

static void put_all(int fd, const void *data, size_t bytes)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	while (write(fd, data, bytes) < 0) {
		assert_int_equal(errno, EAGAIN);
		assert_int_equal(poll(&room, 1, 10000), 1);
	}
}

/* After truncated, repeated, hostile and forged messages, the table in force stays. */
static void test_live_life__hostile_messages(void **state)
{
	unsigned counts[4] = {0}, stolen[4] = {0};
	struct call_region region = {
		.base = (uintptr_t)stolen, .bytes = 16, .offset = LIVE_A, .scale = 0x10000};
	struct call_request q = {.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.answer = 1,
		.nonce = 42,
		.seal = (uintptr_t)&q,
		.total = 1,
		.count = 1,
		.element = 4};
	uint8_t message[CALL_MAX_BYTES], garbage[CALL_MAX_BYTES];
	uint64_t cpu;
	int fd, bytes;

	(void)state;
	on(counts, 16, LIVE_A);
	fd = client_find();
	assert_true(fd >= 0);
	bytes = call_put_request(message, sizeof(message), &q, &region);
	assert_true(bytes > 0);
	memset(garbage, 'S', sizeof(garbage));
	for (unsigned i = 0; i < 20; i++) {
		/* A complete message is refused, too: its seal's address has no seal. */
		put_all(fd, message, (size_t)bytes);
		put_all(fd, message, 33);
		put_all(fd, garbage, sizeof(garbage));
		q.pid = 1;
		bytes = call_put_request(message, sizeof(message), &q, &region);
	}
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	assert_int_equal(stolen[0], 0);
	live_about(counts[0], cpu, LIVE_TICK_NS);
	assert_int_equal(close(fd), 0);
	off();
}

/* The helper ends 0.2 s after "off". A call at that time is served by it or starts another. */
static void test_live_life__calls_while_the_helper_leaves(void **state)
{
	unsigned ov = 0;
	struct prof bin = {&ov, 4, 0, 2};

	(void)state;
	for (unsigned i = 0; i < 15; i++) {
		struct timespec nap = {0, 199000000 + (long)i * 200000};

		assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT), 0);
		off();
		while (nanosleep(&nap, &nap) < 0)
			assert_int_equal(errno, EINTR);
	}
}

/*
 * Profiling is on 30 times, each time for the CPU time of three ticks. The rounds together count
 * that time: each "off" counts the ticks that its round still lacks, and no others.
 */
static void test_live_life__short_rounds_add_up(void **state)
{
	unsigned ov = 0;
	struct prof bin = {&ov, 4, 0, 2};
	uint64_t cpu = 0;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(sprofil(&bin, 1, NULL, PROF_UINT), 0);
		cpu += live_burn(0.03);
		off();
	}
	live_check_rounds(ov, cpu, LIVE_TICK_NS, 30, __FILE__, __LINE__);
}

/* A signal handler calls sprofil() while the interrupted thread is in sprofil(), too. */
static atomic_int handler_failures, handler_calls;
static timer_t handler_timer;

/* Set at the handler's end, so that the interrupted code makes progress even if a call is slow. */
static int call_handler_soon(void)
{
	const struct itimerspec soon = {.it_value = {0, 300000}};

	return timer_settime(handler_timer, 0, &soon, NULL);
}

static void call_in_handler(int signal)
{
	struct prof p = {NULL, 0, 0, 0};

	(void)signal;
	atomic_fetch_add(&handler_calls, 1);
	if (sprofil(&p, 1, NULL, PROF_UINT) < 0)
		atomic_fetch_add(&handler_failures, 1);
	(void)call_handler_soon();
}

static void test_live_life__calls_in_a_signal_handler(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct sigaction action = {.sa_handler = call_in_handler};
		struct prof many[100];
		unsigned counts[4];

		for (unsigned i = 0; i < 100; i++)
			many[i] = (struct prof){counts, 16, LIVE_A + 16 * i, 0x10000};
		if (sigaction(SIGALRM, &action, NULL) < 0 ||
			timer_create(CLOCK_MONOTONIC, NULL, &handler_timer) < 0 ||
			call_handler_soon() < 0)
			_exit(96);
		for (unsigned i = 0; i < 300; i++)
			if (sprofil(many, 100, NULL, PROF_UINT) < 0)
				_exit(1);
		(void)timer_delete(handler_timer);
		_exit(atomic_load(&handler_failures)               ? 2
				: atomic_load(&handler_calls) < 10 ? 3
								   : 0);
	}
	live_reap(pid);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest alone[] = {
		cmocka_unit_test(test_live_life__helper_is_killed),
		cmocka_unit_test(test_live_helper__goes_on_if_stopped),
		cmocka_unit_test(test_live_life__hostile_messages),
		cmocka_unit_test(test_live_life__short_rounds_add_up),
		cmocka_unit_test(test_live_life__calls_while_the_helper_leaves),
	};
	static const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_life__all_descriptors_closed),
		cmocka_unit_test(test_live_life__calls_from_many_threads),
		cmocka_unit_test(test_live_life__traced_by_another),
		cmocka_unit_test(test_live_life__no_supervisor),
		cmocka_unit_test(test_live_helper__has_nothing_of_ours),
		cmocka_unit_test(test_live_helper__says_nothing),
		cmocka_unit_test(test_live_helper__interrupts_the_wait),
		cmocka_unit_test(test_live_life__helper_is_not_our_child),
		cmocka_unit_test(test_live_life__calls_in_a_signal_handler),
	};

	if (argc == 5 && strcmp(argv[1], "--serve") == 0)
		return be_helper(argv);
	return live_run(alone) + live_run_with_children(with_children);
}
