/* SPDX-License-Identifier: MIT */
/*
 * disturber WHAT SECONDS: uses SECONDS of CPU time while it disturbs a profiler. Exits with 6. WHAT
 * is one of:
 *
 *	names   4 threads rename themselves all the time, with control characters
 *	map     writes to its perf map all the time, lines and other text
 *	bomb    500 children at once, each of which uses 5 ms; their time counts, too
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, CHILDREN = 500 };

static double seconds;
static atomic_int over;

static void work(clockid_t clock, double until)
{
	static volatile unsigned long x;
	struct timespec now;

	do {
		for (int i = 0; i < 10000; i++)
			x = x * 6364136223846793005UL + 1;
		(void)clock_gettime(clock, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < until);
}

static void *rename_on(void *context)
{
	unsigned turn = (unsigned)(size_t)context;
	char name[16];

	while (!over) {
		(void)snprintf(name, sizeof(name), "\033]0;%u\a\n\x9b)", turn += 7);
		(void)prctl(PR_SET_NAME, name);
	}
	return NULL;
}

static int names(void)
{
	pthread_t thread[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, rename_on, (void *)i))
			return 1;
	}
	work(CLOCK_PROCESS_CPUTIME_ID, seconds);
	over = 1;
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	return 6;
}

/* Runs code that only the perf map could name, so that the analyst reads the map. */
static void *generated(void *context)
{
	unsigned char *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void);

	(void)context;
	if (code == MAP_FAILED)
		return NULL;
	memcpy(code, "\xeb\xfe", 2); /* a jump to itself */
	memcpy(&run, &code, sizeof(run));
	run();
	return NULL;
}

static int map(void)
{
	static char line[1 << 16];
	char path[64];
	pthread_t thread;
	struct timespec now;
	FILE *file;
	double end;

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "w");
	if (!file || pthread_create(&thread, NULL, generated, NULL))
		return 1;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	end = (double)now.tv_sec + seconds;
	for (unsigned long i = 0; (double)now.tv_sec < end; i++) {
		memset(line, 'n', sizeof(line) - 1);
		if (i % 8)
			(void)fprintf(file, "%lx 10 name_%lu\n", 0x1000 + i * 16, i);
		else if (ftell(file) < 64 << 20)
			(void)fputs(line, file);
		(void)fflush(file);
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
	}
	(void)fclose(file);
	(void)unlink(path);
	_exit(6);
}

static int bomb(void)
{
	int status, bad = 0;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			work(CLOCK_PROCESS_CPUTIME_ID, 0.005);
			_exit(3);
		}
		bad += pid < 0;
	}
	while (wait(&status) > 0)
		bad += !WIFEXITED(status) || WEXITSTATUS(status) != 3;
	return bad ? 1 : 6;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	seconds = atof(argv[2]);
	if (strcmp(argv[1], "names") == 0)
		return names();
	if (strcmp(argv[1], "map") == 0)
		return map();
	return strcmp(argv[1], "bomb") == 0 ? bomb() : 2;
}
