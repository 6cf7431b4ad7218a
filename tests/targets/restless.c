/* SPDX-License-Identifier: MIT */
/*
 * A server that sleeps and wakes some 50,000 times a second, and knows where its CPU time goes.
 *
 *	restless peer WORK COMMAND...	runs COMMAND, with a socket as descriptor 3, and plays
 *ping-pong with it; WORK turns of a loop between two balls restless serve SECONDS WORK	is that
 *command: waits, takes, computes WORK turns, gives, and at last writes the percent of its CPU time
 *in each: "wait 17.9" …
 *
 * Each part's function reads the thread's CPU clock at its end, so that is part of the part.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BALL 32
#define HERE __attribute__((noinline))

enum { SOCKET = 3 };

static uint64_t used[4], last;
static char ball[BALL];

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void account(unsigned part)
{
	uint64_t now = read_clock(CLOCK_THREAD_CPUTIME_ID);

	used[part] += now - last;
	last = now;
}

static void turn(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i = i + 1)
		;
}

static HERE void part_wait(int epoll)
{
	struct epoll_event event;

	if (epoll_wait(epoll, &event, 1, -1) != 1)
		exit(1);
	account(0);
}

static HERE void part_take(void)
{
	if (read(SOCKET, ball, BALL) != BALL)
		exit(1);
	account(1);
}

static HERE void part_compute(unsigned turns)
{
	turn(turns);
	account(2);
}

static HERE void part_give(void)
{
	if (write(SOCKET, ball, BALL) != BALL)
		exit(1);
	account(3);
}

static int serve(double seconds, unsigned turns)
{
	static const char *const name[] = {"wait", "take", "compute", "give"};
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);
	uint64_t end = read_clock(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), all = 0;

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, SOCKET, &event) < 0)
		return 1;
	last = read_clock(CLOCK_THREAD_CPUTIME_ID);
	do {
		part_wait(epoll);
		part_take();
		part_compute(turns);
		part_give();
	} while (read_clock(CLOCK_MONOTONIC) < end);
	for (unsigned i = 0; i < 4; i++)
		all += used[i];
	for (unsigned i = 0; i < 4; i++)
		printf("%s %.2f\n", name[i], 100 * (double)used[i] / (double)all);
	return 0;
}

static int play(unsigned turns, char **command)
{
	int pair[2], status = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		(void)close(pair[0]);
		if (pair[1] != SOCKET)
			(void)dup2(pair[1], SOCKET);
		(void)execvp(command[0], command);
		_exit(127);
	}
	(void)close(pair[1]);
	do
		turn(turns);
	while (send(pair[0], ball, BALL, MSG_NOSIGNAL) == BALL &&
		read(pair[0], ball, BALL) == BALL);
	(void)close(pair[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "peer") == 0)
		return play((unsigned)atoi(argv[2]), argv + 3);
	if (argc == 4 && strcmp(argv[1], "serve") == 0)
		return serve(atof(argv[2]), (unsigned)atoi(argv[3]));
	(void)fprintf(stderr, "restless: peer WORK COMMAND..., or serve SECONDS WORK\n");
	return 2;
}
