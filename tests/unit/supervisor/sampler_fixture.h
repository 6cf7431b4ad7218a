/* SPDX-License-Identifier: MIT */
/* A sampler whose probe gives the readings that the test sets. */
#ifndef TESTS_SAMPLER_FIXTURE_H
#define TESTS_SAMPLER_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "supervisor/sample/observe.h"
#include "supervisor/sample/sampler.h"

#define US   UINT64_C(1000)
#define MS   UINT64_C(1000000)
#define MANY 200

enum { ASLEEP, RUNNABLE, GONE };

struct actor {
	struct sample_thread sample;
	int state;
	uint64_t run_ns, wait_ns, slices, stamp_ns, queued_ns, pc;
	int last_cpu;
	int syscall;    /* in which the actor sleeps; 0: nanosleep */
	unsigned asked; /* how often its activity was read */
};

struct world {
	struct sampler sampler;
	struct actor actor[MANY];
	struct plan_due due;
	/* of the waiter at its wake-up, by the scheduler's clock */
	uint64_t stamp_ns;
	uint64_t renewed_ns;    /* how much later than the wake-up the stamp may be */
	uint64_t late_ns;       /* from the instant to the waiter's wake-up */
	uint64_t waited_ns;     /* how long others had the CPU in late_ns */
	struct actor *expected; /* whose time stamp the waiter has read */
	bool strays;            /* the waiter wakes up on a CPU of others */
	int arrived_error, runnable;
	unsigned stamps, runnables;
	uint64_t now, ask_ns, stamp_read_ns; /* time; durations of reading a CPU time, a stamp */
	uint64_t before_ns;                  /* from the wake-up to the first reading */
};

static int activity(void *context, struct sample_thread *s, struct activity *ret)
{
	struct actor *a = s->owner;

	(void)context;
	a->asked++;
	if (a->state == GONE)
		return -ESRCH;
	*ret = (struct activity){.running = a->state == RUNNABLE, .syscall = -1};
	if (!ret->running)
		*ret = (struct activity){.syscall = a->syscall ? a->syscall : SYS_nanosleep,
			.sp = 0x7000,
			.pc = a->pc};
	return 0;
}

static int cpu_time(void *context, struct sample_thread *s, struct cpu_time *ret)
{
	struct actor *a = s->owner;

	((struct world *)context)->now += ((struct world *)context)->ask_ns;
	if (a->state == GONE)
		return -ESRCH;
	*ret = (struct cpu_time){a->run_ns, a->wait_ns, a->slices};
	return 0;
}

static int turn(void *context, struct sample_thread *s, struct turn *ret)
{
	struct world *w = context;
	struct actor *a = s->owner;

	w->stamps++;
	w->now += w->stamp_read_ns;
	if (a->state == GONE)
		return -ESRCH;
	*ret = (struct turn){.switched_ns = a->stamp_ns, .run_ns = a->run_ns};
	return 0;
}

static int queued(void *context, struct sample_thread *s, uint64_t *ret_ns)
{
	struct actor *a = s->owner;

	(void)context;
	*ret_ns = a->queued_ns;
	return a->queued_ns ? 0 : -EPROTO;
}

static int last_cpu(void *context, struct sample_thread *s)
{
	struct actor *a = s->owner;

	(void)context;
	return a->state == GONE ? -ESRCH : a->last_cpu;
}

static uint64_t now(void *context)
{
	return ((struct world *)context)->now;
}

static int runnable(void *context)
{
	struct world *w = context;

	w->runnables++;
	return w->runnable;
}

static const struct probe probe = {activity, cpu_time, turn, queued, last_cpu, now, runnable};
static const int numbers[4] = {2, 3, 5, 7};

/* The threads sleep. Real-time priority, and a period of 1 ms. */
static inline void begin(struct world *w, unsigned cpus, unsigned threads)
{
	memset(w, 0, sizeof(*w));
	assert_int_equal(sampler_init(&w->sampler, &probe, w, numbers, cpus, 1), 0);
	w->sampler.realtime = true;
	w->runnable = -1;
	w->waited_ns = ARRIVAL_UNKNOWN;
	w->due = (struct plan_due){.streams = 1, .weight_ns = {MS}};
	sampler_set_period(&w->sampler, 0, MS);
	for (unsigned i = 0; i < threads; i++) {
		struct actor *a = &w->actor[i];

		assert_int_equal(sampler_add(&w->sampler, &a->sample, a), 0);
		a->stamp_ns = 100 + i;
		a->pc = 0x400000 + i;
		a->last_cpu = 2;
		a->slices = 1;
	}
}

/* Returns the hit of the next instant, 1 ms after the last one and late_ns late; NULL: a miss. */
static inline struct actor *look(struct world *w, unsigned cpu)
{
	struct sample_instant i = {.cpu = cpu, .error = w->arrived_error, .due = w->due};
	struct sample_thread *t;

	i.planned_ns = w->now + MS;
	i.woke_ns = w->now = i.planned_ns + w->late_ns;
	i.arrival = (struct arrival){w->stamp_ns - w->renewed_ns, w->stamp_ns, i.woke_ns, 0,
		w->waited_ns, w->strays ? 11 : numbers[cpu]};
	if (w->expected) {
		i.expected = &w->expected->sample;
		i.expected_ns = w->now;
		i.turn = (struct turn){
			.switched_ns = w->expected->stamp_ns, .run_ns = w->expected->run_ns};
	}
	w->now += w->before_ns;
	w->stamps = w->runnables = 0;
	for (unsigned k = 0; k < MANY; k++)
		w->actor[k].asked = 0;
	t = sampler_instant(&w->sampler, &i);
	return t ? t->owner : NULL;
}

/* Readings as if the supervisor had just preempted @a. */
static inline void preempted(struct world *w, struct actor *a)
{
	w->stamp_ns += 1000000;
	a->stamp_ns = w->stamp_ns;
	a->run_ns += 1000;
}

/* Lets @a be hit @n times in a row, and its stops come. */
static inline void hit(struct world *w, struct actor *a, unsigned cpu, unsigned n)
{
	a->state = RUNNABLE;
	while (n--) {
		preempted(w, a);
		assert_ptr_equal(look(w, cpu), a);
		a->sample.stopping = false;
	}
}

#endif
