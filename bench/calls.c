/* SPDX-License-Identifier: MIT */
/*
 * calls: measures the time that calls of sprofil() take: the first one, which starts the helper;
 * later ones, beside a bare round trip over two pipes between two processes; one with a table of
 * 1000 regions. Also measures what a tick costs the program, by turns with glibc's sprofil and its
 * SIGPROF.
 *
 * The cost of a tick is the time by which a loop of fixed work takes longer while profiling is on,
 * divided by the number of ticks. In each round, the same work without profiling is timed just
 * before and after; the median of the rounds counts.
 */
#include <sprofil/sprofil.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.h"

enum { LATER = 1000, ROUNDS = 41, WORK = 40000000 };

/* struct prof of glibc's <sys/profil.h>, whose ABI alone is used. */
struct glibc_prof {
	void *base;
	size_t size, off;
	unsigned long scale;
};
typedef int glibc_sprofil(struct glibc_prof *, int, struct timeval *, unsigned);

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Works in registers only: the time of a loop through memory depends on the stack's address. */
static uint64_t work(void)
{
	uint64_t start = measure_now_ns();
	unsigned x = 1;

	for (unsigned i = 0; i < WORK; i++) {
		x = x * 1664525 + 1013904223;
		__asm__ volatile("" : "+r"(x));
	}
	return measure_now_ns() - start;
}

static void print_times(const char *name, uint64_t *took)
{
	qsort(took, LATER, sizeof(took[0]), measure_order_64);
	printf("%s\tp50 %.1f us, p99 %.1f us\n", name, (double)took[LATER / 2] / 1e3,
		(double)took[LATER * 99 / 100] / 1e3);
}

static void echo(int from, int to)
{
	char message[64];

	while (read(from, message, sizeof(message)) == (ssize_t)sizeof(message))
		if (write(to, message, sizeof(message)) != (ssize_t)sizeof(message))
			_exit(1);
	_exit(0);
}

static void measure_round_trips(void)
{
	uint64_t took[LATER];
	char message[64] = {0};
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) < 0 || pipe(back) < 0)
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		(void)close(there[1]);
		echo(there[0], back[1]);
	}
	for (unsigned i = 0; i < LATER; i++) {
		uint64_t start = measure_now_ns();

		if (write(there[1], message, sizeof(message)) != (ssize_t)sizeof(message) ||
			read(back[0], message, sizeof(message)) != (ssize_t)sizeof(message))
			die("pipe");
		took[i] = measure_now_ns() - start;
	}
	print_times("bare round trip", took);
	for (unsigned i = 0; i < 2; i++) {
		(void)close(there[i]);
		(void)close(back[i]);
	}
	(void)waitpid(pid, NULL, 0);
}

static void measure_calls(void)
{
	static struct prof many[1000];
	static unsigned counts[1000];
	uint64_t took[LATER], start = measure_now_ns();
	struct prof one = {counts, sizeof(counts), 4096, 0x10000};

	if (sprofil(&one, 1, NULL, PROF_UINT) < 0)
		die("sprofil");
	printf("first call\t%.3f ms\n", (double)(measure_now_ns() - start) / 1e6);
	for (unsigned i = 0; i < LATER; i++) {
		start = measure_now_ns();
		if (sprofil(&one, 1, NULL, PROF_UINT) < 0)
			die("sprofil");
		took[i] = measure_now_ns() - start;
	}
	print_times("later calls", took);
	for (unsigned i = 0; i < 1000; i++)
		many[i] = (struct prof){&counts[i], 4, 4096 + 16 * (unsigned long)i, 0x10000};
	start = measure_now_ns();
	if (sprofil(many, 1000, NULL, PROF_UINT) < 0)
		die("sprofil");
	printf("1000 regions\t%.1f us\n", (double)(measure_now_ns() - start) / 1e3);
	if (sprofil(NULL, 0, NULL, 0) < 0)
		die("sprofil");
}

struct result {
	const char *name;
	/* per round: additional time / time without profiling */
	double more[ROUNDS];
	unsigned rounds, ticks;
	uint64_t off_ns;
};

/* Without this wait, the helper traces the child forked next, and each signal stops that child. */
static void await_helper(void)
{
	uint64_t until = measure_now_ns() + UINT64_C(5000000000);
	char line[128];
	int tracer = 1;

	while (tracer && measure_now_ns() < until) {
		FILE *file = fopen("/proc/self/status", "re");

		if (!file)
			die("/proc/self/status");
		while (fgets(line, sizeof(line), file) &&
			sscanf(line, "TracerPid: %d", &tracer) != 1)
			;
		(void)fclose(file);
	}
	if (tracer) {
		fprintf(stderr, "calls: the helper does not go\n");
		exit(1);
	}
}

/*
 * Runs in a process of its own, as glibc aborts (double free) on on, off, on. The second region is
 * needed: glibc's overflow bin counts only beside another region.
 */
static uint64_t glibc_round(struct result *result)
{
	static unsigned other[4], bin;
	struct glibc_prof table[2] = {{other, sizeof(other), 4096, 0x10000}, {&bin, 4, 0, 2}};
	glibc_sprofil *theirs = (glibc_sprofil *)dlsym(RTLD_DEFAULT, "sprofil");
	uint64_t answer[2] = {0};
	struct timeval tv;
	int fds[2];
	pid_t pid;

	if (!theirs || pipe(fds) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		if (theirs(table, 2, &tv, 1) < 0)
			_exit(1);
		answer[0] = work();
		answer[1] = bin;
		_exit(write(fds[1], answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
	}
	(void)close(fds[1]);
	if (pid > 0 && read(fds[0], answer, sizeof(answer)) == (ssize_t)sizeof(answer))
		result->ticks += (unsigned)answer[1];
	(void)close(fds[0]);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return answer[0];
}

static uint64_t sprofil_round(struct result *result, unsigned flags)
{
	unsigned count = 0;
	struct prof bin = {&count, 4, 0, 2};
	uint64_t took;

	if (sprofil(&bin, 1, NULL, PROF_UINT | flags) < 0)
		die("sprofil");
	took = work();
	if (sprofil(NULL, 0, NULL, 0) < 0)
		die("sprofil");
	result->ticks += count;
	return took;
}

static void add_round(struct result *result, uint64_t before, uint64_t on, uint64_t after)
{
	uint64_t off = (before + after) / 2;

	if (!on)
		return;
	result->more[result->rounds++] = ((double)on - (double)off) / (double)off;
	result->off_ns += off;
}

static int compare_parts(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print(struct result *result)
{
	double median, ticks;

	if (!result->ticks)
		return;
	qsort(result->more, result->rounds, sizeof(result->more[0]), compare_parts);
	median = result->more[result->rounds / 2];
	ticks = (double)result->ticks / result->rounds;
	printf("%s\t%.1f ticks a round\t%+.2f %%\t%.1f us a tick\n", result->name, ticks,
		100 * median, median * (double)result->off_ns / result->rounds / 1e3 / ticks);
}

int main(void)
{
	struct result tick = {.name = "sprofil"}, fast = {.name = "PROF_FAST"},
		      glibc = {.name = "glibc"};
	uint64_t off[4], took[3];

	measure_round_trips();
	measure_calls();
	for (unsigned i = 0; i < ROUNDS; i++) {
		off[0] = work();
		took[0] = sprofil_round(&tick, 0);
		off[1] = work();
		took[1] = sprofil_round(&fast, PROF_FAST);
		off[2] = work();
		await_helper();
		took[2] = glibc_round(&glibc);
		off[3] = work();
		add_round(&tick, off[0], took[0], off[1]);
		add_round(&fast, off[1], took[1], off[2]);
		add_round(&glibc, off[2], took[2], off[3]);
	}
	printf("off\t%.1f ms a round, %u rounds\n", (double)tick.off_ns / tick.rounds / 1e6,
		tick.rounds);
	print(&tick);
	print(&fast);
	print(&glibc);
	return 0;
}
