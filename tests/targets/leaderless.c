/* SPDX-License-Identifier: MIT */
/*
 * leaderless work MS | exec PROGRAM ARGUMENT...: the first thread ends at once. Another one works
 * for MS ms in inner(), below outer(), and ends the process with 42; or executes PROGRAM after 100
 * ms of such work, while a third one works too.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/targets/harmed.h"

static char **arguments;

static volatile unsigned long sink;

__attribute__((noinline)) static void inner(long n)
{
	for (long i = 0; i < n; i++)
		sink += (unsigned long)i;
}

__attribute__((noinline)) static void outer(long n)
{
	inner(n);
	sink++;
}

static void work(unsigned ms)
{
	uint64_t end = now_ns() + ms * UINT64_C(1000000);

	while (now_ns() < end)
		outer(20000);
}

static void *run(void *context)
{
	(void)context;
	if (strcmp(arguments[1], "work") == 0) {
		work((unsigned)atoi(arguments[2]));
		exit(42);
	}
	work(100);
	(void)execv(arguments[2], arguments + 2);
	harmed("execv");
}

static void *accompany(void *context)
{
	(void)context;
	work(10000);
	return NULL;
}

int main(int argc, char *argv[])
{
	pthread_t thread;

	if (argc < 3)
		return 99;
	arguments = argv;
	if (pthread_create(&thread, NULL, run, NULL) != 0 ||
		(strcmp(argv[1], "exec") == 0 &&
			pthread_create(&thread, NULL, accompany, NULL) != 0))
		harmed("pthread_create");
	pthread_exit(NULL);
}
