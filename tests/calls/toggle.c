/* SPDX-License-Identifier: MIT */
/*
 * toggle SECONDS BURNERS [fast]: while threads burn CPU time, another thread turns profiling on and
 * off, mostly within less than a tick. Ticks that a running thread owes when its table is taken
 * away must be counted before the call returns.
 *
 * The expected count is the CPU time between on and off, in ticks. The length of the calls makes it
 * uncertain, and chance, which decides when a thread is found (at most 4/3 ticks squared for each
 * thread and round). Fails beyond five standard deviations: less than one false alarm in a million.
 */
#include <sprofil/sprofil.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/clock.h"

enum { WORDS = 16, MOST = 64 };

static atomic_bool leave;

static void *burn(void *unused)
{
	while (!atomic_load_explicit(&leave, memory_order_relaxed))
		;
	return unused;
}

static void call(struct prof *p, int n, unsigned flags)
{
	if (sprofil(p, n, NULL, flags) == 0)
		return;
	perror("toggle: sprofil");
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned burners = argc > 2 ? (unsigned)atoi(argv[2]) : 1, words[WORDS] = {0}, rounds = 0;
	unsigned flags =
		argc > 3 && strcmp(argv[3], "fast") == 0 ? PROF_UINT | PROF_FAST : PROF_UINT;
	uint64_t tick = flags & PROF_FAST ? 1000000 : 10000000, least = 0, most = 0;
	uint64_t until =
		clock_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000;
	struct prof bin = {words, sizeof(words), 0, 2};
	unsigned seed = 1;
	pthread_t thread[MOST];
	double low, high, noise;

	if (burners < 1 || burners > MOST)
		return 2;
	for (unsigned i = 0; i < burners; i++)
		if (pthread_create(&thread[i], NULL, burn, NULL))
			return 2;
	while (clock_ns(CLOCK_MONOTONIC) < until) {
		struct timespec nap = {0, (long)(tick / 10 + (uint64_t)rand_r(&seed) % tick)};
		uint64_t on, on_after, off, off_after;

		on = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		call(&bin, 1, flags);
		on_after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		(void)nanosleep(&nap, NULL);
		off = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		call(NULL, 0, 0);
		off_after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		least += off - on_after;
		most += off_after - on;
		rounds++;
	}
	atomic_store(&leave, true);
	for (unsigned i = 0; i < burners; i++)
		(void)pthread_join(thread[i], NULL);
	low = (double)least / (double)tick;
	high = (double)most / (double)tick;
	noise = 5 * sqrt(4.0 / 3 * rounds * (burners + 1));
	printf("%u rounds: %u counts for %.1f to %.1f ticks, +- %.1f\n", rounds, words[0], low,
		high, noise);
	if (words[0] < low - noise || words[0] > high + noise) {
		fprintf(stderr, "toggle: too %s counts\n", words[0] < low ? "few" : "many");
		return 1;
	}
	return 0;
}
