/* SPDX-License-Identifier: MIT */
/*
 * Busy threads with a fixed amount of work, for bench/cost.sh: the longer the work lasts under a
 * profiler, the more time the profiler takes.
 *
 *	busy_threads THREADS MS [WARM_MS [EVERY_US]]
 *
 * The work is THREADS times MS of CPU time, in pieces of some 20 us; a thread that is free takes
 * the next piece. Before that the threads work for WARM_MS of wall time, which is not measured: a
 * profiler's first second may cost more. With EVERY_US a system call (getppid) follows every
 * EVERY_US microseconds of work. Each piece is called through DEPTH frames. Prints the wall time of
 * the measured part and the CPU time of the whole process, both in ns.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/work.h"

#define THREADS_MOST 1024
#define PIECE_US     20
#define DEPTH        16

WORK(piece)

struct shared {
	uint64_t turns; /* turns of the loop in a piece */
	uint64_t warm_until_ns;
	unsigned every; /* pieces between two system calls; 0: no calls */
	_Atomic int64_t left;
	pthread_barrier_t warm, start, end;
};

__attribute__((WORK_WHOLE)) static unsigned descend(uint64_t turns, unsigned depth)
{
	if (!depth) {
		piece(turns);
		return 1;
	}
	return descend(turns, depth - 1) + 1; /* no tail call */
}

static void work(const struct shared *s, unsigned *count)
{
	(void)descend(s->turns, DEPTH);
	if (s->every && ++*count % s->every == 0)
		(void)syscall(SYS_getppid);
}

static void *run(void *argument)
{
	struct shared *s = argument;
	unsigned count = 0;

	while (measure_now_ns() < s->warm_until_ns)
		for (unsigned i = 0; i < 16; i++)
			work(s, &count);
	(void)pthread_barrier_wait(&s->warm);
	(void)pthread_barrier_wait(&s->start);
	while (atomic_fetch_sub(&s->left, 1) > 0)
		work(s, &count);
	(void)pthread_barrier_wait(&s->end);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct shared s;
	pthread_t thread[THREADS_MOST];
	long threads = argc > 2 ? strtol(argv[1], NULL, 10) : 0, warm_ms, every_us;
	uint64_t per_ms, wall;

	if (threads < 1 || threads > THREADS_MOST)
		return 2;
	warm_ms = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	every_us = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
	/* For equal work in all runs: each calibration gives a slightly different number. */
	per_ms = getenv("TURNS_PER_MS") ? strtoull(getenv("TURNS_PER_MS"), NULL, 10)
					: work_turns_per_ms(piece);
	if (argv[2][0] == '0') {
		printf("%llu\n", (unsigned long long)per_ms);
		return 0;
	}
	s.turns = per_ms * PIECE_US / 1000;
	s.left = strtol(argv[2], NULL, 10) * 1000 / PIECE_US * threads;
	s.every = every_us ? (unsigned)(every_us + PIECE_US - 1) / PIECE_US : 0;
	s.warm_until_ns = measure_now_ns() + (uint64_t)warm_ms * 1000000;
	(void)pthread_barrier_init(&s.warm, NULL, (unsigned)threads + 1);
	(void)pthread_barrier_init(&s.start, NULL, (unsigned)threads + 1);
	(void)pthread_barrier_init(&s.end, NULL, (unsigned)threads + 1);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, &s))
			return 1;
	(void)pthread_barrier_wait(&s.warm);
	wall = measure_now_ns();
	(void)pthread_barrier_wait(&s.start);
	(void)pthread_barrier_wait(&s.end);
	printf("%llu %llu\n", (unsigned long long)(measure_now_ns() - wall),
		(unsigned long long)(measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID)));
	for (long i = 0; i < threads; i++)
		(void)pthread_join(thread[i], NULL);
	return 0;
}
