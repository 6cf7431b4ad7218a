/* SPDX-License-Identifier: MIT */
/*
 * sleepy MS: two calls that wait MS ms each, and that a stop would make begin again. Prints how
 * long each took. Ends with 1 if one ended early, or, in the truth suite (TRUTH), took more than
 * 1.5 times MS.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

static double now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	int ms = argc > 1 ? atoi(argv[1]) : 1000;
	struct timespec spec = {ms / 1000, ms % 1000 * 1000000L};
	struct epoll_event event;
	double took[2], began = now_ms();
	sigset_t set;
	int r[2];

	r[0] = epoll_wait(epoll_create1(0), &event, 1, ms);
	took[0] = now_ms() - began;
	began = now_ms();
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR2);
	r[1] = sigtimedwait(&set, NULL, &spec);
	took[1] = now_ms() - began;
	(void)printf(
		"epoll_wait %d %.0f ms, sigtimedwait %d %.0f ms\n", r[0], took[0], r[1], took[1]);
	return r[0] != 0 || r[1] != -1 || took[0] < ms || took[1] < ms ||
		(getenv("TRUTH") && (took[0] > ms * 1.5 || took[1] > ms * 1.5));
}
