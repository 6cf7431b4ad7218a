/* SPDX-License-Identifier: MIT */
/*
 * stress SECONDS: 64 threads of this process, then 50 processes forked from it, turn profiling on
 * and off as fast as they can. Each call must be answered. Each process finds the counts of its own
 * CPU time and no others. The helper's memory and descriptors do not grow.
 */
#include <sprofil/sprofil.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

enum { THREADS = 64, PROCESSES = 50, WORDS = 64 };

static atomic_ulong calls, failures;
static atomic_bool leave;

static void complain(const char *what, unsigned long long a, unsigned long long b)
{
	fprintf(stderr, "stress: pid %d: %s (%llu, %llu), errno %s\n", (int)getpid(), what, a, b,
		strerror(errno));
	atomic_fetch_add(&failures, 1);
}

static void burn(uint64_t ns)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < ns)
		;
}

static void call(struct prof *p, int n, unsigned flags)
{
	if (sprofil(p, n, NULL, flags) < 0)
		complain("a call failed", (unsigned long long)n, flags);
	atomic_fetch_add(&calls, 1);
}

static void check_rest(const unsigned *words)
{
	for (unsigned i = 1; i < WORDS; i++)
		if (words[i])
			complain("a count beside the bin", i, words[i]);
}

static void *be_thread(void *sum)
{
	unsigned words[WORDS] = {0};
	struct prof table[60];
	unsigned turn = 0;

	for (unsigned i = 0; i < 59; i++) /* too many regions for one message */
		table[i] = (struct prof){&words[1], 4, 4096 + 16 * i, 0x10000};
	table[59] = (struct prof){words, sizeof(words), 0, 2};
	while (!atomic_load(&leave)) {
		call(turn % 3 ? &table[59] : table, turn % 3 ? 1 : 60, PROF_UINT);
		burn(100000);
		call(NULL, 0, 0);
		turn++;
	}
	/* Another thread's last "on" may use our buffers: each thread turns off before they end. */
	call(NULL, 0, 0);
	check_rest(words);
	atomic_fetch_add((_Atomic uint64_t *)sum, words[0]);
	return NULL;
}

static void run_threads(unsigned seconds)
{
	static pthread_t thread[THREADS];
	_Atomic uint64_t sum = 0;
	uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID), cpu;
	struct timespec nap = {(time_t)seconds, 0};

	atomic_store(&leave, false);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, be_thread, &sum))
			exit(2);
	(void)nanosleep(&nap, NULL);
	atomic_store(&leave, true);
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	/*
	 * Each table is in force for a part of the time, and begins at a random phase of a tick:
	 * the counts are at most the CPU time in ticks, plus one for each call.
	 */
	if (sum > cpu / 10000000 + atomic_load(&calls))
		complain("more counts than CPU time", sum, cpu / 10000000);
	printf("threads: %lu calls, %llu counts in %.1f s of CPU time\n", atomic_load(&calls),
		(unsigned long long)sum, (double)cpu / 1e9);
}

/*
 * Is a count of @n plausible where @mean is expected? They may differ by 3 plus 5.5 standard
 * deviations. A Poisson number with a mean of at least 1 differs by more in 1e-7 of the cases.
 */
static bool may_be(uint64_t n, double mean)
{
	double off = (double)n - mean - ((double)n > mean ? 3 : -3);

	return (off < 0) == ((double)n > mean) || off * off < 5.5 * 5.5 * mean;
}

static int be_process(uint64_t until)
{
	unsigned words[WORDS] = {0};
	struct prof bin = {words, sizeof(words), 0, 2};
	uint64_t on_ns = 0, all = 0;
	unsigned rounds = 0;

	while (clock_ns(CLOCK_MONOTONIC) < until) {
		uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID), after;
		unsigned seen;

		call(&bin, 1, PROF_UINT);
		burn(30000000);
		call(NULL, 0, 0);
		after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		seen = words[0];
		if (!may_be(seen - all, (double)(after - before) / 1e7))
			complain("too many counts for a round", seen - all, after - before);
		all = seen;
		on_ns += after - before;
		rounds++;
		call(NULL, 0, 0);
		call(&bin, 1, PROF_UINT);
		call(NULL, 0, 0);
		all = words[0];
	}
	check_rest(words);
	if (!may_be(all, (double)on_ns / 1e7))
		complain("counts are not the CPU time", all, on_ns / 10000000);
	printf("process %d: %u rounds, %llu counts, %llu ticks\n", (int)getpid(), rounds,
		(unsigned long long)all, (unsigned long long)(on_ns / 10000000));
	return atomic_load(&failures) ? 1 : 0;
}

static void run_processes(unsigned seconds)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + seconds * UINT64_C(1000000000);
	int status;

	(void)fflush(stdout);
	for (unsigned i = 0; i < PROCESSES; i++) {
		pid_t pid = fork();

		if (pid < 0)
			exit(2);
		if (pid == 0) {
			/* The parent's failures are those of its threads. */
			atomic_store(&failures, 0);
			status = be_process(until);
			(void)fflush(stdout);
			_exit(status);
		}
	}
	for (unsigned i = 0; i < PROCESSES; i++)
		if (wait(&status) < 0 || status)
			complain("a process failed", i, (unsigned)status);
}

struct footprint {
	long kib;
	unsigned descriptors;
};

static long number_after(const char *path, const char *key)
{
	char line[256];
	FILE *file = fopen(path, "re");
	long n = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			n = atol(line + strlen(key));
	if (file)
		(void)fclose(file);
	return n;
}

/*
 * Is @name a descriptor of a scheduling file (/proc/PID/task/TID/sched)? The helper has one open
 * for each of our threads, one for its tracing thread, and two for each CPU: of its waiter, and of
 * the thread that is expected there (expected.c). They are checked against threads and CPUs.
 */
static bool is_note(DIR *dir, const char *name)
{
	static const char note[] = "/sched";
	char link[256];
	ssize_t n = readlinkat(dirfd(dir), name, link, sizeof(link));

	return n >= (ssize_t)strlen(note) &&
		memcmp(link + n - strlen(note), note, strlen(note)) == 0;
}

static struct footprint look_at_helper(void)
{
	long helper = number_after("/proc/self/status", "TracerPid:");
	struct footprint f = {0};
	const struct dirent *entry;
	long notes = 0;
	char path[64];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%ld/status", helper);
	f.kib = number_after(path, "VmRSS:");
	(void)snprintf(path, sizeof(path), "/proc/%ld/fd", helper);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (is_note(dir, entry->d_name))
			notes++;
		else
			f.descriptors++;
	}
	if (dir)
		(void)closedir(dir);
	if (notes > number_after("/proc/self/status", "Threads:") +
			2 * sysconf(_SC_NPROCESSORS_ONLN) + 1)
		complain("too many scheduling files", notes, 0);
	return f;
}

/* The least of several: after each call, the helper has the answer's pipe open for a moment. */
static struct footprint measure_helper(void)
{
	struct timespec nap = {0, 5000000};
	struct footprint least;

	burn(100000000); /* so that the helper has this thread's files open */
	least = look_at_helper();
	for (unsigned i = 0; i < 20; i++) {
		struct footprint f = look_at_helper();

		if (f.descriptors < least.descriptors)
			least = f;
		(void)nanosleep(&nap, NULL);
	}
	return least;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	unsigned counts[4] = {0};
	struct prof keep = {counts, sizeof(counts), 4096, 0x10000};
	struct footprint first, last;

	/* Works twice: the helper's memory and descriptors must not grow in the second half. */
	call(&keep, 1, PROF_UINT);
	run_threads(seconds / 4 + 1);
	call(&keep, 1, PROF_UINT);
	run_processes(seconds / 4 + 1);
	call(&keep, 1, PROF_UINT);
	first = measure_helper();
	run_threads(seconds / 4 + 1);
	call(&keep, 1, PROF_UINT);
	run_processes(seconds / 4 + 1);
	call(&keep, 1, PROF_UINT);
	last = measure_helper();
	call(NULL, 0, 0);
	printf("helper: %ld KiB and %u descriptors, then %ld KiB and %u\n", first.kib,
		first.descriptors, last.kib, last.descriptors);
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer keeps freed memory for a while */
	if (!first.kib || last.kib > first.kib + first.kib / 4 ||
		last.descriptors > first.descriptors)
		complain("the helper grows", (unsigned long long)first.kib,
			(unsigned long long)last.kib);
	if (last.kib > 5 * 1024)
		complain("the helper is large", (unsigned long long)last.kib, 5 * 1024);
#endif
	return atomic_load(&failures) ? 1 : 0;
}
