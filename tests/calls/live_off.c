/* SPDX-License-Identifier: MIT */
/*
 * "Off" must be off even if the supervisor has become unreachable since "on", as the program may
 * then free its counters. In each case a child turns profiling on, changes itself, turns profiling
 * off, and spins on at the address that was counted. Native interface.
 *
 * "live_off child CASE" is such a child under sprofrun, which traces it from the start
 * (test_off_in_sprofrun.sh).
 */
#include <sprofil/sprofil.h>

#include "tests/calls/live.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "tests/clock.h"

enum {
	NOT_HERE = 77,
	OFF_FAILED = 10,
	OFF_SLOW = 11,
	COUNTED_ON = 12,
	NEVER_COUNTED = 13,
	ON_SUCCEEDED = 14,
	ON_SLOW = 15,
	ON_FAILED = 16,
	MASK_CHANGED = 17,
	SIGNAL_LOST = 18,
	STATUS_WRONG = 19,
};

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

/* Turns on with a bin for all addresses. */
static int count(unsigned *counts)
{
	struct prof bin = {counts, 4, 0, 2};

	return sprofil(&bin, 1, NULL, PROF_UINT);
}

/* Without live_spin(), which reads /proc: the child may have lost access to /proc. */
static void spin(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		;
}

static int become_nobody(void)
{
	return getuid() == 0 && setgid(65534) == 0 && setuid(65534) == 0 ? 0 : NOT_HERE;
}

static int leave_the_files(void)
{
	return chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0 ? 0 : NOT_HERE;
}

static int hide(void)
{
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : NOT_HERE;
}

/* Not as root: a supervisor of root has access to a process that is not dumpable. */
static int hide_as_nobody(void)
{
	return getuid() ? hide() : NOT_HERE;
}

/* "on" fails at once while the process is not dumpable, then works. Returns undumpable again. */
static int hide_and_turn_on(void)
{
	unsigned *counts = live_buffer(4, MAP_PRIVATE);
	int r = hide_as_nobody();
	double since = clock_s(CLOCK_MONOTONIC);

	if (r)
		return r;
	if (count(counts) == 0 || errno != EPERM)
		return ON_SUCCEEDED;
	if (clock_s(CLOCK_MONOTONIC) - since > 3)
		return ON_SLOW;
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || count(counts) < 0)
		return ON_FAILED;
	for (unsigned i = 0; i < 100 && !counts[0]; i++)
		spin(0.05);
	return counts[0] ? hide() : NEVER_COUNTED;
}

/* CAP_SYS_PTRACE gives access to a process that is not dumpable. */
static int hide_from_root(void)
{
	unsigned *counts = live_buffer(4, MAP_PRIVATE);

	if (getuid() || hide())
		return NOT_HERE;
	if (count(counts) < 0)
		return ON_FAILED;
	for (unsigned i = 0; i < 100 && !counts[0]; i++)
		spin(0.05);
	return counts[0] ? 0 : NEVER_COUNTED;
}

/* Blocks all signals; those that are pending must stay pending. */
static int block_all(void)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	(void)raise(SIGCHLD);
	(void)raise(SIGURG);
	return become_nobody();
}

/* SIGURG has a handler. SIGWINCH is blocked and pending, as for sigwait(), and must stay so. */
static int keep_some_signals(void)
{
	struct sigaction action = {.sa_handler = handle};
	sigset_t winch;

	(void)sigaction(SIGURG, &action, NULL);
	(void)sigemptyset(&winch);
	(void)sigaddset(&winch, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &winch, NULL);
	(void)raise(SIGWINCH);
	return become_nobody();
}

static const struct change {
	const char *name;
	int (*make)(void);
} changes[] = {
	{"setuid", become_nobody},
	{"chroot", leave_the_files},
	{"undumpable", hide},
	{"undumpable_as_nobody", hide_as_nobody},
	{"blocked", block_all},
	{"signals", keep_some_signals},
	{"hidden_on", hide_and_turn_on},
	{"hidden_from_root_on", hide_from_root},
};

/* Runs in the child, so it asserts nothing. Returns 0 or a status of the enum above. */
static int child(const struct change *change)
{
	unsigned *counts = live_buffer(4, MAP_PRIVATE), last;
	struct sprofil_state status;
	sigset_t pending, before, after;
	double since;
	int r;

	if (count(counts) < 0)
		return NOT_HERE;
	for (unsigned i = 0; i < 100 && !counts[0]; i++)
		spin(0.05);
	if (!counts[0])
		return NEVER_COUNTED;
	r = change->make();
	if (r)
		return r;
	(void)sigprocmask(SIG_BLOCK, NULL, &before);
	since = clock_s(CLOCK_MONOTONIC);
	if (sprofil(NULL, 0, NULL, 0) < 0)
		return OFF_FAILED;
	(void)sigprocmask(SIG_BLOCK, NULL, &after);
	for (int signal = 1; signal < SIGRTMAX; signal++)
		if (sigismember(&before, signal) != sigismember(&after, signal))
			return MASK_CHANGED;
	/* 3 s: a helper may just be ending. */
	if (clock_s(CLOCK_MONOTONIC) - since > 3)
		return OFF_SLOW;
	if (sprofil_status(&status, sizeof(status)) == 0 || errno != ENODATA)
		return STATUS_WRONG;
	last = counts[0];
	spin(0.3); /* 30 ticks */
	if (counts[0] != last)
		return COUNTED_ON;
	(void)sigpending(&pending);
	if ((change->make == keep_some_signals && !sigismember(&pending, SIGWINCH)) ||
		(change->make == block_all &&
			(!sigismember(&pending, SIGCHLD) || !sigismember(&pending, SIGURG))) ||
		handled)
		return SIGNAL_LOST;
	since = clock_s(CLOCK_MONOTONIC);
	r = sprofil(NULL, 0, NULL, 0);
	return r < 0 ? OFF_FAILED : clock_s(CLOCK_MONOTONIC) - since > 1 ? OFF_SLOW : 0;
}

static void check(const struct change *change, bool as_nobody)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		/* Dumpable, as if its user had started it: setuid() made it undumpable. */
		if (as_nobody && (become_nobody() || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0))
			_exit(NOT_HERE);
		_exit(child(change));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status == NOT_HERE << 8) {
		(void)printf("not tested: %s%s\n", change->name, as_nobody ? ", as nobody" : "");
		return;
	}
	assert_int_equal(status, 0);
	live_settle();
}

static void test_live_off__after_setuid(void **state)
{
	(void)state;
	check(&changes[0], false);
}

static void test_live_off__after_chroot(void **state)
{
	(void)state;
	check(&changes[1], false);
}

static void test_live_off__undumpable(void **state)
{
	(void)state;
	check(&changes[2], false);
	check(&changes[3], true);
}

static void test_live_off__blocked_and_awaited_signals(void **state)
{
	(void)state;
	check(&changes[4], false);
	check(&changes[5], false);
}

static void test_live_off__on_while_undumpable(void **state)
{
	(void)state;
	check(&changes[6], true);
	check(&changes[7], false);
}

/* Without a tracer, "off" succeeds and leaves no signal pending. */
static void test_live_off__untraced(void **state)
{
	struct sigaction action = {.sa_handler = handle}, old;
	sigset_t set, mask, pending;

	(void)state;
	live_settle();
	while (live_tracer())
		(void)usleep(10000);
	assert_int_equal(client_turn_off(), 0);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
	(void)sigfillset(&set);
	(void)sigprocmask(SIG_BLOCK, &set, &mask);
	assert_int_equal(client_turn_off(), 0);
	(void)sigpending(&pending);
	assert_false(sigismember(&pending, SIGURG));
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	/*
	 * All usable signals have handlers, so client_turn_off() cannot ask a tracer. sprofil()
	 * succeeds, as by the kernel there is no tracer.
	 */
	handled = 0;
	(void)sigaction(SIGURG, &action, &old);
	(void)sigaction(SIGWINCH, &action, NULL);
	(void)sigaction(SIGCHLD, &action, NULL);
	assert_int_equal(client_turn_off(), -EPERM);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
	(void)sigaction(SIGURG, &old, NULL);
	(void)sigaction(SIGWINCH, &old, NULL);
	(void)sigaction(SIGCHLD, &old, NULL);
	assert_int_equal(handled, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_off__after_setuid),
		cmocka_unit_test(test_live_off__after_chroot),
		cmocka_unit_test(test_live_off__undumpable),
		cmocka_unit_test(test_live_off__blocked_and_awaited_signals),
		cmocka_unit_test(test_live_off__on_while_undumpable),
		cmocka_unit_test(test_live_off__untraced),
	};

	if (argc == 3 && strcmp(argv[1], "child") == 0) {
		for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
			if (strcmp(argv[2], changes[i].name) == 0)
				return child(&changes[i]);
		return 2;
	}
	if (!CALL_HAS_OFF)
		return NOT_HERE;
	return live_run_with_children(tests);
}
