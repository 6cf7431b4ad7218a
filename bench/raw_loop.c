/* SPDX-License-Identifier: MIT */
/*
 * raw_loop HZ [spin] -- COMMAND [ARG...]: the least that a ptrace sampler can do. At every tick,
 * interrupts the first thread of the command, waits for the stop, reads the registers and resumes.
 * With spin, polls for the stop for at most 50 us before sleeping, as sprofrun does. Prints on
 * stderr the median time from INTERRUPT to the return of CONT, in ns.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/measure.h"

enum { STOPS = 1 << 20 };

static uint32_t stop_ns[STOPS];

/* Waits for a stop. Returns 0 when the child has ended. */
static int wait_stop(pid_t pid, int spin, int *ret_status)
{
	uint64_t until = measure_now_ns() + 50000;
	pid_t r = 0;

	while (spin && r == 0 && measure_now_ns() < until)
		r = waitpid(pid, ret_status, __WALL | WNOHANG);
	while (r <= 0) {
		r = waitpid(pid, ret_status, __WALL);
		if (r < 0 && errno != EINTR)
			return 0;
	}
	return WIFSTOPPED(*ret_status);
}

int main(int argc, char **argv)
{
	uint64_t words[64], period, next, began;
	int status, at = 2, spin = 0;
	size_t n = 0;
	pid_t pid;

	if (argc < 4)
		return 2;
	period = (uint64_t)(1e9 / atof(argv[1]));
	if (strcmp(argv[at], "spin") == 0) {
		spin = 1;
		at++;
	}
	at++; /* skips "--" */
	pid = fork();
	if (pid == 0) {
		(void)raise(SIGSTOP);
		(void)execvp(argv[at], argv + at);
		_exit(127);
	}
	(void)waitpid(pid, &status, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0)
		return 1;
	(void)kill(pid, SIGCONT);
	(void)prctl(PR_SET_TIMERSLACK, 1);
	for (next = measure_now_ns();; next += period) {
		struct timespec ts = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
		struct iovec io = {words, sizeof(words)};
		int signal_number = 0;

		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		began = measure_now_ns();
		if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 && errno == ESRCH)
			break;
		if (!wait_stop(pid, spin, &status))
			break;
		if (status >> 16 == 0)
			signal_number = WSTOPSIG(status);
		(void)ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &io);
		(void)ptrace(PTRACE_CONT, pid, 0, signal_number);
		if (n < STOPS)
			stop_ns[n++] = (uint32_t)(measure_now_ns() - began);
	}
	qsort(stop_ns, n, sizeof(*stop_ns), measure_order_32);
	fprintf(stderr, "%u\n", n ? stop_ns[n / 2] : 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
