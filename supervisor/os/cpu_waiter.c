/* SPDX-License-Identifier: MIT */
#include "supervisor/os/cpu_waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"

#define STACK_BYTES (64 * 1024)

/* Sleeps until @at_ns, or until the word is not @word any more. True: it is time. */
static bool sleep_until(struct cpu_waiter *w, uint32_t word, uint64_t at_ns)
{
	struct timespec at = {(time_t)(at_ns / CLOCK_SECOND_NS), (long)(at_ns % CLOCK_SECOND_NS)};
	long r = syscall(SYS_futex, &w->word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, word,
		at_ns == UINT64_MAX ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);

	return r < 0 && errno == ETIMEDOUT;
}

static void *wait_on_cpu(void *context)
{
	struct cpu_waiter *w = context;
	int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	struct arrival_log log = {0};
	uint64_t woke = 0;

	(void)priority_stay(0, w->cpu);
	if (!w->realtime || priority_realtime() < 0)
		priority_prompt();
	while (!atomic_load(&w->quit)) {
		/* Before all that it stands for: a change after this ends the sleep at once. */
		uint32_t word = atomic_load(&w->word);
		struct arrival arrival = {0};
		int r = woke ? arrival_read(&log, fd, &arrival) : 0;
		uint64_t next = w->wake(w->context, woke, &arrival, r);

		arrival_rest(&log);
		woke = sleep_until(w, word, next) ? clock_now() : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return NULL;
}

int cpu_waiter_start(struct cpu_waiter *w)
{
	pthread_attr_t attributes;
	int r;

	atomic_store(&w->quit, false);
	r = -pthread_attr_init(&attributes);
	if (r < 0)
		return r;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	r = -pthread_create(&w->thread, &attributes, wait_on_cpu, w);
	(void)pthread_attr_destroy(&attributes);
	w->started = r == 0;
	return r;
}

void cpu_waiter_poke(struct cpu_waiter *w)
{
	atomic_fetch_add(&w->word, 1);
	(void)syscall(SYS_futex, &w->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

void cpu_waiter_stop(struct cpu_waiter *w)
{
	if (!w->started)
		return;
	atomic_store(&w->quit, true);
	/* A program of higher priority may have its CPU for good. */
	(void)priority_any_cpu(w->thread);
	cpu_waiter_poke(w);
	(void)pthread_join(w->thread, NULL);
	w->started = false;
}
