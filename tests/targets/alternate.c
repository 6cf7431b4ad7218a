/* SPDX-License-Identifier: MIT */
/*
 * alternate KINDS MS THREADS CALLS: threads that wait CALLS times for MS ms each, in the calls of
 * KINDS in turn, one letter a call: s sigtimedwait, e epoll_wait, p poll, n nanosleep, S
 * semtimedop, u ppoll, r recv with a time-out. Meanwhile children end, and SIGCHLD is ignored. That
 * signal is sent to the process: one thread may be woken by it, and another one take it.
 *
 * No call may return early, except those of kind r, whose time-outs have the resolution of the
 * kernel's ticks. A call that fails with EINTR is repeated for the rest of its time. Prints the
 * number of calls, of calls that ended early, and of EINTRs. Ends with 1 if a call ended early.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

#define THREADS_MOST 64
#define MS_NS        1000000

static const char *kinds;
static long ms, calls;
static atomic_uint made, early, interrupted;
static atomic_bool over;

struct means {
	sigset_t signals;
	int epoll, semaphore, pair[2];
};

static bool open_means(struct means *m)
{
	struct timeval most = {ms / 1000, ms % 1000 * 1000};

	(void)sigemptyset(&m->signals);
	(void)sigaddset(&m->signals, SIGUSR2);
	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	m->semaphore = semget(IPC_PRIVATE, 1, 0600);
	return m->epoll >= 0 && m->semaphore >= 0 &&
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, m->pair) == 0 &&
		setsockopt(m->pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) == 0;
}

static void close_means(struct means *m)
{
	(void)semctl(m->semaphore, 0, IPC_RMID);
	(void)close(m->epoll);
	(void)close(m->pair[0]);
	(void)close(m->pair[1]);
}

static int wait_in(const struct means *m, char kind, uint64_t ns)
{
	const struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	int whole_ms = (int)((ns + MS_NS - 1) / MS_NS);
	struct sembuf down = {0, -1, 0};
	struct epoll_event event;
	char byte;

	switch (kind) {
	case 's': return sigtimedwait(&m->signals, NULL, &ts);
	case 'e': return epoll_wait(m->epoll, &event, 1, whole_ms);
	case 'p': return poll(NULL, 0, whole_ms);
	case 'u': return ppoll(NULL, 0, &ts, NULL);
	case 'n': return nanosleep(&ts, NULL);
	case 'S': return semtimedop(m->semaphore, &down, 1, &ts);
	default: return (int)recv(m->pair[0], &byte, 1, 0);
	}
}

static void *run(void *context)
{
	size_t n = strlen(kinds), at = (size_t)(uintptr_t)context;
	struct means m;

	if (!open_means(&m)) {
		perror("alternate");
		exit(99);
	}
	for (long i = 0; i < calls; i++, at++) {
		uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * MS_NS, now;
		char kind = kinds[at % n];
		int r;

		while ((r = wait_in(&m, kind,
				(now = clock_ns(CLOCK_MONOTONIC)) < end ? end - now : 0)) < 0 &&
			errno == EINTR)
			atomic_fetch_add(&interrupted, 1);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now < end && kind != 'r') {
			(void)printf("%c: %d, %s, %.2f ms too early\n", kind, r, strerror(errno),
				(double)(end - now) / MS_NS);
			atomic_fetch_add(&early, 1);
		}
		atomic_fetch_add(&made, 1);
	}
	close_means(&m);
	return NULL;
}

static void *make_children(void *context)
{
	(void)context;
	while (!atomic_load(&over)) {
		pid_t child = fork();

		if (child == 0)
			_exit(9);
		if (child > 0)
			(void)waitpid(child, NULL, 0);
	}
	return NULL;
}

int main(int argc, char *argv[])
{
	pthread_t thread[THREADS_MOST], maker;
	long threads = argc == 5 ? atol(argv[3]) : 0;
	sigset_t blocked;

	if (threads < 1 || threads > THREADS_MOST || !*argv[1])
		return 99;
	kinds = argv[1];
	ms = atol(argv[2]);
	calls = atol(argv[4]);
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGUSR2);
	(void)pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	if (pthread_create(&maker, NULL, make_children, NULL) != 0)
		return 99;
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i) != 0)
			return 99;
	}
	for (long i = 0; i < threads; i++)
		(void)pthread_join(thread[i], NULL);
	atomic_store(&over, true);
	(void)pthread_join(maker, NULL);
	(void)printf("%u calls, %u early, %u EINTR\n", made, early, interrupted);
	return early != 0;
}
