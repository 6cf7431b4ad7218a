/* SPDX-License-Identifier: MIT */
/* Under signals, calls go on waiting; handlers run in the program; nothing is left over. */
#include "tests/calls/live_child.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

/* Set at the handler's end, so that the interrupted code makes progress even if a call is slow. */
static const struct itimerval soon = {.it_value = {0, 700}};
static volatile sig_atomic_t enough;

/* Handler of a second CPU timer, which interrupts the program anywhere. */
static void turn_off(int signal)
{
	int error = errno;

	(void)signal;
	(void)off();
	if (!enough)
		(void)setitimer(ITIMER_REAL, &soon, NULL);
	errno = error;
}

static int turn_off_in_handlers(void)
{
	struct sigaction action = {.sa_handler = turn_off, .sa_flags = SA_RESTART};
	struct itimerval never = {{0, 0}, {0, 0}};

	if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &soon, NULL) < 0)
		return 1;
	for (unsigned i = 0; i < 200; i++) {
		unsigned *heap = mmap(
			NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct prof bin = {heap, 4, 0, 2};

		if (heap == MAP_FAILED || sprofil(&bin, 1, NULL, PROF_UINT | PROF_FAST) < 0)
			return 2;
		if (off() < 0 || munmap(heap, 4096) < 0)
			return 3;
	}
	enough = 1;
	if (setitimer(ITIMER_REAL, &never, NULL) < 0)
		return 4;
	return works();
}

static void test_live_signals__handlers_turn_it_off(void **state)
{
	(void)state;
	in_child(turn_off_in_handlers);
}

static void wake(int signal)
{
	(void)signal;
}

/* A call goes on waiting for the supervisor to start when signals come. */
static int call_while_signals_come(void)
{
	struct sigaction action = {.sa_handler = wake};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	int r;

	if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0)
		return 1;
	r = on();
	if (setitimer(ITIMER_REAL, &never, NULL) < 0 || r < 0)
		return 2;
	return works();
}

/*
 * The process that should execute the missing supervisor ends at once. Signals come while the call
 * waits for that end: the call fails, and no child is left.
 */
static int fail_while_signals_come(void)
{
	struct sigaction action = {.sa_handler = wake};
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
		setenv("SPROFIL_SUPERVISOR", "/nonexistent/supervisor", 1) < 0 ||
		sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0)
		return 1;
	for (unsigned i = 0; i < 50; i++)
		if (on() == 0 || errno != EPERM)
			return 2;
	if (setitimer(ITIMER_REAL, &never, NULL) < 0)
		return 3;
	return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD ? 0 : 4;
}

static void test_live_signals__signals_during_the_first_call(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		in_child(call_while_signals_come);
	in_child(fail_while_signals_come);
}

static _Atomic pid_t owner;
static atomic_uint handled, elsewhere;

static void note_where(int signal)
{
	(void)signal;
	atomic_fetch_add(atomic_load(&owner) == getpid() ? &handled : &elsewhere, 1);
}

/*
 * The process that starts the supervisor shares the program's memory until its exec. Signals to the
 * process group run no handler of the program in it.
 */
static int start_while_the_group_gets_signals(void)
{
	struct sigaction action = {.sa_handler = note_where, .sa_flags = SA_RESTART};
	pid_t sender;

	if (setpgid(0, 0) < 0 || sigaction(SIGUSR1, &action, NULL) < 0 ||
		setenv("SPROFIL_SUPERVISOR", "/nonexistent/supervisor", 1) < 0)
		return 1;
	atomic_store(&owner, getpid());
	sender = fork();
	if (sender == 0) {
		(void)signal(SIGUSR1, SIG_IGN);
		for (;;)
			(void)kill(0, SIGUSR1);
	}
	if (sender < 0)
		return 2;
	for (unsigned i = 0; i < 20 && !atomic_load(&elsewhere); i++)
		if (on() == 0 || errno != EPERM)
			return 3;
	while (!atomic_load(&handled))
		(void)usleep(1000);
	if (kill(sender, SIGKILL) < 0 || waitpid(sender, NULL, 0) != sender)
		return 4;
	return atomic_load(&elsewhere) ? 5 : 0;
}

static void test_live_signals__no_handler_runs_elsewhere(void **state)
{
	(void)state;
	in_child(start_while_the_group_gets_signals);
}

/* Without being a subreaper, a program has no child of the library, not even a clone child. */
static int have_no_child(void)
{
	if (on() < 0)
		return 1;
	if (waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD)
		return 2;
	return off() < 0 ? 3 : 0;
}

static void test_live_signals__no_child(void **state)
{
	(void)state;
	in_child(have_no_child);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_signals__handlers_turn_it_off),
		cmocka_unit_test(test_live_signals__signals_during_the_first_call),
		cmocka_unit_test(test_live_signals__no_handler_runs_elsewhere),
		cmocka_unit_test(test_live_signals__no_child),
	};

	return live_run_with_children(tests);
}
