/* SPDX-License-Identifier: MIT */
/*
 * For the live view: show SECONDS [STATUS]. The thread "alpha" is nearly always in show_inner(),
 * which show_outer() calls; "beta" sometimes makes system calls; "gamma" sleeps. Prints a line at
 * its beginning and end: after SECONDS, and not before alpha has used half as much CPU time.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int over;

__attribute__((noinline)) static uint64_t show_inner(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005U + (x >> 33);
	return x;
}

__attribute__((noinline)) static uint64_t show_outer(uint64_t x)
{
	return show_inner(x) + 1;
}

static void *alpha(void *unused)
{
	uint64_t x = (uintptr_t)unused;

	while (!over)
		x = show_outer(x);
	return (void *)(uintptr_t)(x == 1);
}

static void *beta(void *unused)
{
	while (!over) {
		for (int i = 0; i < 5000; i++)
			(void)syscall(SYS_getppid);
		(void)usleep(20000);
	}
	return unused;
}

static void *gamma_(void *unused)
{
	while (!over)
		(void)usleep(50000);
	return unused;
}

static double cpu_seconds(pthread_t thread)
{
	struct timespec used = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) == 0)
		(void)clock_gettime(clock, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} threads[] = {{"alpha", alpha}, {"beta", beta}, {"gamma", gamma_}};
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct timespec length = {
		(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	pthread_t thread[3];

	printf("show begins\n");
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		if (pthread_create(&thread[i], NULL, threads[i].run, NULL))
			return 1;
		(void)pthread_setname_np(thread[i], threads[i].name);
	}
	(void)nanosleep(&length, NULL);
	while (cpu_seconds(thread[0]) < seconds / 2)
		(void)usleep(50000);
	over = 1;
	for (int i = 0; i < 3; i++)
		(void)pthread_join(thread[i], NULL);
	fprintf(stderr, "show ends\n");
	return argc > 2 ? atoi(argv[2]) : 0;
}
