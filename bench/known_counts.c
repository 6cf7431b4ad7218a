/* SPDX-License-Identifier: MIT */
/*
 * Histograms of sprofil(3) in programs whose CPU time is known, for bench/known.sh.
 *
 *	known_counts sleeper tick|fast CPU_SECONDS
 *		a thread that runs fa 4.3 ms, fb 1.27 ms, and sleeps 9.1 ms
 *	known_counts children tick|fast NUMBER MS
 *		NUMBER children, one after the other, run fa for MS; the counters are shared memory
 *
 * Prints "fa COUNTED EXPECTED", the same for fb, and "elsewhere COUNTED", "period NANOSECONDS".
 */
#include "bench/work.h"

#include <sprofil/sprofil.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

WORK(fa)
WORK(fb)

/* One counter of 4 bytes for the 64 bytes of a function; the overflow bin. */
enum { SCALE_FUNCTION = 4 * 65536 / 64, SCALE_OVERFLOW = 2 };

struct shared {
	unsigned fa, fb, elsewhere;
	uint64_t fa_ns, fb_ns;
};

static uint64_t turns_per_ms, period_ns;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void on(struct shared *s, unsigned flags)
{
	struct prof table[3] = {
		{&s->fa, sizeof(s->fa), (unsigned long)fa, SCALE_FUNCTION},
		{&s->fb, sizeof(s->fb), (unsigned long)fb, SCALE_FUNCTION},
		{&s->elsewhere, sizeof(s->elsewhere), 0, SCALE_OVERFLOW},
	};
	struct timeval period;

	if (sprofil(table, 3, &period, flags) != 0)
		die("sprofil");
	period_ns = (uint64_t)period.tv_sec * 1000000000 + (uint64_t)period.tv_usec * 1000;
}

static void off(void)
{
	if (sprofil(NULL, 0, NULL, 0) != 0)
		die("sprofil");
}

static void sleeper(struct shared *s, unsigned flags, double seconds)
{
	const struct timespec nap = {0, 9100000};
	uint64_t a = turns_per_ms * 430 / 100, b = turns_per_ms * 127 / 100, used = 0;
	double known;

	on(s, flags);
	used = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while ((double)(measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - used) < seconds * 1e9) {
		fa(a);
		fb(b);
		(void)nanosleep(&nap, NULL);
	}
	known = (double)(measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - used);
	off();
	/* All CPU time is shared between fa and fb: other code takes some per mille. */
	s->fa_ns = (uint64_t)(known * (double)a / (double)(a + b));
	s->fb_ns = (uint64_t)(known * (double)b / (double)(a + b));
}

static void children(struct shared *s, unsigned flags, unsigned number, uint64_t ms)
{
	on(s, flags);
	for (unsigned i = 0; i < number; i++) {
		int status;
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			uint64_t start = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);

			fa(ms * turns_per_ms);
			s->fa_ns += measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			die("waitpid");
	}
	off();
}

int main(int argc, char **argv)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *what = argc > 3 ? argv[1] : "";
	unsigned flags = PROF_UINT;

	if (s == MAP_FAILED)
		die("mmap");
	if (argc > 3 && strcmp(argv[2], "fast") == 0)
		flags |= PROF_FAST;
	turns_per_ms = work_turns_per_ms(fa);
	if (strcmp(what, "sleeper") == 0) {
		sleeper(s, flags, atof(argv[3]));
	} else if (strcmp(what, "children") == 0 && argc > 4) {
		children(s, flags, (unsigned)atoi(argv[3]), strtoull(argv[4], NULL, 0));
	} else {
		fprintf(stderr, "known_counts: see its source for the arguments\n");
		return 2;
	}
	printf("fa %u %.1f\nfb %u %.1f\nelsewhere %u\nperiod %llu\n", s->fa,
		(double)s->fa_ns / (double)period_ns, s->fb, (double)s->fb_ns / (double)period_ns,
		s->elsewhere, (unsigned long long)period_ns);
	return 0;
}
