/* SPDX-License-Identifier: MIT */
/*
 * Programs whose CPU time is known, for bench/known.sh; functions are f0 to f4.
 *
 *	known_program calibrate
 *		prints turns of the functions' loop in a millisecond
 *	known_program TURNS_PER_MS SECONDS pool THREADS TASK_US
 *		THREADS wait for tasks at one condition variable; a task is one of f0 to f3
 *	known_program TURNS_PER_MS SECONDS timer PERIOD_US
 *		0.25 ms of work every PERIOD_US, by a timerfd: f0 1/6, f1 1/2, f2 1/3 of it
 *	known_program TURNS_PER_MS SECONDS loop
 *		rounds of 3.9 ms: 546, 188, 98, 106 and 61 per mille of it in f0 to f4; the thread's
 *		CPU clock is read after each
 *	known_program TURNS_PER_MS SECONDS getppid EVERY_US
 *		f0, and getppid(2) every EVERY_US
 *
 * SECONDS are of CPU time; for timer, of wall time. The last lines are "f0 NANOSECONDS" and so on,
 * except for getppid, and "all NANOSECONDS". They are measured by the threads' CPU clocks, without
 * the time of the readings.
 */
#include "bench/work.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

WORK(f0)
WORK(f1)
WORK(f2)
WORK(f3)
WORK(f4)

enum { FUNCTIONS = 5, QUEUE = 64, THREADS_MAX = 64 };

static void (*const work[FUNCTIONS])(uint64_t) = {f0, f1, f2, f3, f4};

static uint64_t turns_per_ms, end_ns, reading_ns;
static double known_ns[FUNCTIONS];

static bool used_up(void)
{
	return measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID) >= end_ns;
}

static void work_us(unsigned function, double us)
{
	work[function]((uint64_t)(us * (double)turns_per_ms / 1e3) + 1);
}

static void print_known(void)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (known_ns[i] > 0)
			printf("f%u %.0f\n", i, known_ns[i]);
	printf("all %llu\n", (unsigned long long)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

/* A task is the number of a function; -1 ends a thread. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t some, room;
	int task[QUEUE];
	unsigned head, tail;
	double task_us;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	.some = PTHREAD_COND_INITIALIZER,
	.room = PTHREAD_COND_INITIALIZER};

static void pool_put(int task)
{
	(void)pthread_mutex_lock(&pool.mutex);
	while (pool.tail - pool.head == QUEUE)
		(void)pthread_cond_wait(&pool.room, &pool.mutex);
	pool.task[pool.tail++ % QUEUE] = task;
	(void)pthread_cond_signal(&pool.some);
	(void)pthread_mutex_unlock(&pool.mutex);
}

static int pool_take(void)
{
	int task;

	(void)pthread_mutex_lock(&pool.mutex);
	while (pool.tail == pool.head)
		(void)pthread_cond_wait(&pool.some, &pool.mutex);
	task = pool.task[pool.head++ % QUEUE];
	(void)pthread_cond_signal(&pool.room);
	(void)pthread_mutex_unlock(&pool.mutex);
	return task;
}

static void *pool_work(void *own_ns)
{
	double *ns = own_ns;
	int task;

	while ((task = pool_take()) >= 0) {
		uint64_t start = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		work_us((unsigned)task, pool.task_us);
		ns[task] += (double)(measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) -
			(double)reading_ns;
	}
	return NULL;
}

static int run_pool(unsigned threads, double task_us)
{
	static double ns[THREADS_MAX][FUNCTIONS];
	pthread_t id[THREADS_MAX];

	if (threads > THREADS_MAX)
		return 2;
	pool.task_us = task_us;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, pool_work, ns[i]) != 0)
			return 1;
	for (unsigned i = 0; i % 16 != 0 || !used_up(); i++)
		pool_put((int)(i % 4));
	for (unsigned i = 0; i < threads; i++)
		pool_put(-1);
	for (unsigned i = 0; i < threads; i++) {
		(void)pthread_join(id[i], NULL);
		for (unsigned f = 0; f < FUNCTIONS; f++)
			known_ns[f] += ns[i][f];
	}
	return 0;
}

/* @last and the result: the thread's CPU clock before and after the work. */
static uint64_t timed_work(unsigned f, double us, uint64_t last)
{
	uint64_t now;

	work_us(f, us);
	now = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	known_ns[f] += (double)(now - last) - (double)reading_ns;
	return now;
}

static int run_timer(long period_us, double seconds)
{
	struct itimerspec every = {{0, period_us * 1000}, {0, period_us * 1000}};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t until = measure_now_ns() + (uint64_t)(seconds * 1e9), expired;
	uint64_t last;

	if (fd < 0 || timerfd_settime(fd, 0, &every, NULL) != 0)
		return 1;
	while (measure_now_ns() < until) {
		if (read(fd, &expired, sizeof(expired)) != (ssize_t)sizeof(expired))
			return 1;
		last = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		last = timed_work(0, 250.0 / 6, last);
		last = timed_work(1, 250.0 / 2, last);
		(void)timed_work(2, 250.0 / 3, last);
	}
	return close(fd) != 0;
}

static int run_loop(void)
{
	static const double part[FUNCTIONS] = {0.546, 0.188, 0.098, 0.106, 0.061};

	while (!used_up()) {
		uint64_t last = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		for (unsigned f = 0; f < FUNCTIONS; f++)
			last = timed_work(f, 3900 * part[f], last);
	}
	return 0;
}

static int run_getppid(double every_us)
{
	while (!used_up())
		for (unsigned i = 0; i < 1000; i++) {
			work_us(0, every_us);
			(void)syscall(SYS_getppid);
		}
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 3 ? atof(argv[2]) : 0;
	const char *what = argc > 3 ? argv[3] : "";
	int status = 2;

	if (argc == 2 && strcmp(argv[1], "calibrate") == 0) {
		printf("%llu\n", (unsigned long long)work_turns_per_ms(f0));
		return 0;
	}
	if (argc > 3)
		turns_per_ms = strtoull(argv[1], NULL, 0);
	end_ns = (uint64_t)(seconds * 1e9);
	reading_ns = work_reading_ns();
	if (strcmp(what, "pool") == 0 && argc == 6)
		status = run_pool((unsigned)atoi(argv[4]), atof(argv[5]));
	else if (strcmp(what, "timer") == 0 && argc == 5)
		status = run_timer(atol(argv[4]), seconds);
	else if (strcmp(what, "loop") == 0 && argc == 4)
		status = run_loop();
	else if (strcmp(what, "getppid") == 0 && argc == 5)
		status = run_getppid(atof(argv[4]));
	if (status == 2)
		fprintf(stderr, "known_program: see its source for the arguments\n");
	else
		print_known();
	return status;
}
