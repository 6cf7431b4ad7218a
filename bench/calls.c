/* SPDX-License-Identifier: MIT */
/*
 * calls: what the calls cost. The first one (it starts the helper), later ones, a table of 1000
 * regions; and what a tick costs the program, against glibc's sprofil with its SIGPROF, in turns in
 * the same run.
 *
 * The cost of a tick is what a loop of fixed work takes longer while it is on, per tick.
 */
#include <sprofil/sprofil.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LATER = 1000, ROUNDS = 7, WORK = 400000000 };

/* glibc's own, by the ABI of its header. */
struct glibc_prof {
	void *base;
	size_t size, off;
	unsigned long scale;
};
typedef int glibc_sprofil(struct glibc_prof *, int, struct timeval *, unsigned);

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t work(void)
{
	uint64_t start = now_ns();

	for (volatile unsigned i = 0; i < WORK; i++)
		;
	return now_ns() - start;
}

static void measure_calls(void)
{
	static struct prof many[1000];
	static unsigned counts[1000];
	uint64_t took[LATER], start = now_ns();
	struct prof one = {counts, sizeof(counts), 4096, 0x10000};

	if (sprofil(&one, 1, NULL, PROF_UINT) < 0)
		die("sprofil");
	printf("first call\t%.3f ms\n", (double)(now_ns() - start) / 1e6);
	for (unsigned i = 0; i < LATER; i++) {
		start = now_ns();
		if (sprofil(&one, 1, NULL, PROF_UINT) < 0)
			die("sprofil");
		took[i] = now_ns() - start;
	}
	qsort(took, LATER, sizeof(took[0]), compare);
	printf("later calls\tp50 %.1f us, p99 %.1f us\n", (double)took[LATER / 2] / 1e3,
		(double)took[LATER * 99 / 100] / 1e3);
	for (unsigned i = 0; i < 1000; i++)
		many[i] = (struct prof){&counts[i], 4, 4096 + 16 * (unsigned long)i, 0x10000};
	start = now_ns();
	if (sprofil(many, 1000, NULL, PROF_UINT) < 0)
		die("sprofil");
	printf("1000 regions\t%.1f us\n", (double)(now_ns() - start) / 1e3);
	if (sprofil(NULL, 0, NULL, 0) < 0)
		die("sprofil");
}

/* The least disturbed of the rounds, and the ticks of all. */
struct result {
	const char *name;
	uint64_t best_ns;
	unsigned ticks;
};

static void add_round(struct result *result, uint64_t took_ns)
{
	if (!result->best_ns || took_ns < result->best_ns)
		result->best_ns = took_ns;
}

/*
 * glibc's, each round in a process of its own: on, off and on again aborts it (a double free). Its
 * overflow bin counts only beside another region.
 */
static void glibc_round(struct result *result)
{
	static unsigned other[4], bin;
	struct glibc_prof table[2] = {{other, sizeof(other), 4096, 0x10000}, {&bin, 4, 0, 2}};
	glibc_sprofil *theirs = (glibc_sprofil *)dlsym(RTLD_DEFAULT, "sprofil");
	uint64_t answer[2] = {0};
	struct timeval tv;
	int fds[2];
	pid_t pid;

	if (!theirs || pipe(fds) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		if (theirs(table, 2, &tv, 1) < 0)
			_exit(1);
		answer[0] = work();
		answer[1] = bin;
		_exit(write(fds[1], answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
	}
	(void)close(fds[1]);
	if (pid > 0 && read(fds[0], answer, sizeof(answer)) == (ssize_t)sizeof(answer)) {
		add_round(result, answer[0]);
		result->ticks += (unsigned)answer[1];
	}
	(void)close(fds[0]);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
}

static void sprofil_round(struct result *result, unsigned flags)
{
	unsigned count = 0;
	struct prof bin = {&count, 4, 0, 2};

	if (sprofil(&bin, 1, NULL, PROF_UINT | flags) < 0)
		die("sprofil");
	add_round(result, work());
	if (sprofil(NULL, 0, NULL, 0) < 0)
		die("sprofil");
	result->ticks += count;
}

static void print(const struct result *result, const struct result *off)
{
	double more_us = ((double)result->best_ns - (double)off->best_ns) / 1e3;

	if (!result->ticks)
		return;
	printf("%s\t%.1f ticks a round\t%+.2f %%\t%.1f us a tick\n", result->name,
		(double)result->ticks / ROUNDS, 1e5 * more_us / (double)off->best_ns,
		more_us * ROUNDS / result->ticks);
}

int main(void)
{
	struct result off = {.name = "off"}, tick = {.name = "sprofil"}, fast = {.name = "PROF_FAST"},
		      glibc = {.name = "glibc"};

	measure_calls();
	for (unsigned i = 0; i < ROUNDS; i++) {
		add_round(&off, work());
		sprofil_round(&tick, 0);
		sprofil_round(&fast, PROF_FAST);
		glibc_round(&glibc);
	}
	printf("off\t%.1f ms a round, the best of %d\n", (double)off.best_ns / 1e6, ROUNDS);
	print(&tick, &off);
	print(&fast, &off);
	print(&glibc, &off);
	return 0;
}
