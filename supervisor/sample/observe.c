/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/observe.h"

#include <sys/syscall.h>

#include "supervisor/sample/sampler_state.h"

/*
 * At each instant the RECENT_MOST threads that were met last are asked. Of the others a random part
 * is asked: as many as OTHERS_NS is enough for, and an OTHERS_PARTS of the period, since the CPU
 * stands still meanwhile.
 */
#define RECENT_MOST  16
#define OTHERS_NS    150000
#define OTHERS_PARTS 16
#define OTHERS_LEAST 16
#define OTHERS_MOST  256
/* Sleepers whose time stamp is read: one may have had the CPU at the instant. */
#define STAMPS_MOST 6
/* A thread that had its CPU stops within this long. */
#define STOP_MOST_NS 1000000
/* On its way to a stop a thread runs for less than this. */
#define STOP_RUN_NS 60000

/* A thread that has run since it was last asked, and sleeps. */
struct sleeper {
	struct sample_thread *thread;
	struct activity activity;
};

static bool is_nap(const struct activity *a)
{
	return a->syscall == SYS_nanosleep || a->syscall == SYS_clock_nanosleep;
}

static bool is_running(struct look *l, struct sample_thread *t)
{
	l->activity = (struct activity){0};
	t->asked_running =
		l->s->probe->activity(l->s->context, t, &l->activity) >= 0 && l->activity.running;
	return t->asked_running;
}

/*
 * May @t have been on this CPU until we came? Not if it has not run since it was asked last, before
 * the instant: whoever left a CPU has the time until then in its figure. Costs a quarter of asking
 * what it does. (Where no turns are counted the time is in ticks.)
 */
static bool has_run(struct look *l, struct sample_thread *t, struct cpu_time *ret_cpu)
{
	bool known = t->asked_ns && t->asked_ns < l->planned_ns;
	uint64_t ran;

	if (l->s->probe->cpu_time(l->s->context, t, ret_cpu) < 0)
		return false;
	ran = ret_cpu->run_ns - t->asked.run_ns;
	t->asked = *ret_cpu;
	t->asked_ns = l->s->probe->now(l->s->context);
	return !known || !ret_cpu->slices || ran;
}

static bool was_last_here(struct look *l, struct sample_thread *t)
{
	return l->s->probe->last_cpu(l->s->context, t) == l->s->cpu[l->cpu].number;
}

/* @t is runnable: was it on this CPU until we came? */
static bool was_replaced(struct look *l, struct sample_thread *t)
{
	uint64_t its;

	if (l->error < 0) /* the kernel has no time stamps: its CPU must do */
		return was_last_here(l, t);
	if (l->s->probe->switched(l->s->context, t, &its) < 0)
		return false;
	/* Another CPU may have switched just then. */
	return its == l->arrival.last_ns ||
		(its >= l->arrival.first_ns && its < l->arrival.last_ns && was_last_here(l, t));
}

/* With more runnable threads than CPUs a thread may wait for another one's turn to end. */
static bool has_its_cpu(struct look *l)
{
	int runnable = l->s->probe->runnable(l->s->context);

	return runnable >= 0 && runnable <= (int)l->s->cpus;
}

/* The instant, by the scheduler's clock; that of our coming if we had the CPU before. */
static uint64_t instant_of(const struct look *l)
{
	uint64_t came = l->arrival.monotonic_ns;

	return l->arrival.last_ns - (came > l->planned_ns ? came - l->planned_ns : 0);
}

/*
 * Had this thread, which sleeps, the CPU at the instant? The kernel is not preempted on the way to
 * sleep: if that let us in, the scheduler wrote our stamp for its leaving, too. And a thread that
 * sleeps for a time would have had its CPU for as long as programming a timer takes, had our own
 * timer not been due before its.
 */
static bool was_met(struct look *l, const struct sleeper *one)
{
	uint64_t its, instant = instant_of(l);

	if (l->error < 0 || l->s->probe->switched(l->s->context, one->thread, &its) < 0)
		return false;
	return its == l->arrival.last_ns ||
		(one->thread->naps && its <= instant && instant - its < l->s->timer_ns &&
			was_last_here(l, one->thread));
}

/*
 * @t waits for this CPU, which was idle when we came. The kernel charges a thread from its wake-up,
 * also while its CPU still leaves the idle state: was it woken before the instant?
 */
static bool was_woken(struct look *l, struct sample_thread *t)
{
	uint64_t its, queued;

	if (l->error < 0 || !was_last_here(l, t) ||
		l->s->probe->switched(l->s->context, t, &its) < 0 ||
		l->s->probe->queued(l->s->context, t, &queued) < 0)
		return false;
	return queued > its && queued <= instant_of(l);
}

/*
 * Threads that are runnable, of those that were met last: on this CPU first, then elsewhere. @ret_n
 * others sleep, and have run since they were last asked. Once one is found, only those are asked
 * that sleep for a time.
 */
static struct sample_thread *ask_recent(struct look *l, struct sleeper *sleeper, unsigned *ret_n)
{
	struct sample_thread *found = NULL;
	unsigned n = 0;

	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		unsigned asked = 0;

		for (struct sample_thread *t = l->s->newest; t && asked < RECENT_MOST;
			t = t->older, asked++) {
			struct cpu_time cpu;
			bool ran;

			if ((t->cpu != (int)l->cpu) != elsewhere || (found && !t->naps))
				continue;
			ran = has_run(l, t, &cpu);
			/* What has not slept since is runnable still. */
			if (ran ? is_running(l, t) : t->asked_running) {
				if (!found && ran && was_replaced(l, t))
					found = t;
				else
					l->elsewhere = t;
				continue;
			}
			if (!ran)
				continue;
			t->naps = is_nap(&l->activity);
			if (cpu.run_ns != t->seen.run_ns)
				sleeper[n++] = (struct sleeper){t, l->activity};
			t->seen = cpu;
		}
	}
	if (found) /* it is runnable */
		l->activity = (struct activity){.running = true};
	*ret_n = n;
	return found;
}

/* So many of all others may be asked at an instant. */
static size_t others_most(const struct sampler *s)
{
	uint64_t time = s->period_ns[0] / OTHERS_PARTS;

	if (!time || time > OTHERS_NS)
		time = OTHERS_NS;
	return s->ask_ns ? time / s->ask_ns : OTHERS_MOST;
}

/* A random part of all others: each with the same probability, which its weight makes up for. */
static struct sample_thread *ask_others(struct look *l)
{
	struct sampler *s = l->s;
	size_t n = s->threads, most = others_most(s), asked = 0;
	size_t at = n ? plan_random(&s->random, n) : 0;
	struct sample_thread *found = NULL;
	uint64_t began;

	if (n <= RECENT_MOST || !l->runnable)
		return NULL;
	most = most < OTHERS_LEAST ? OTHERS_LEAST : most > OTHERS_MOST ? OTHERS_MOST : most;
	most = n < most ? n : most;
	began = s->probe->now(s->context);
	for (size_t i = 0; i < most && !found; i++) {
		struct sample_thread *t = s->thread[(at + i) % n];
		struct cpu_time cpu;

		if (t->asked_ns >= l->woke_ns)
			continue; /* asked already */
		asked++;
		if (has_run(l, t, &cpu) && is_running(l, t) && was_replaced(l, t))
			found = t;
	}
	if (asked)
		sampler_follow(&s->ask_ns, (s->probe->now(s->context) - began) / asked, OTHERS_NS);
	if (found)
		l->weight = 1024 * n / most;
	return found;
}

/* Who was on the way to sleep. @instead: the thread that we replaced, which came then; or NULL. */
static struct sample_thread *ask_sleepers(
	struct look *l, const struct sleeper *sleeper, unsigned n, struct sample_thread *instead)
{
	unsigned most = n < STAMPS_MOST ? n : STAMPS_MOST;
	unsigned at = n > most ? (unsigned)plan_random(&l->s->random, n) : 0;

	for (unsigned i = 0; i < most; i++) {
		const struct sleeper *one = &sleeper[(at + i) % n];

		if (!one->activity.pc || (instead && !one->thread->naps) || !was_met(l, one))
			continue;
		/* It slept there when it was asked first, though it may have been woken since. */
		l->activity = one->activity;
		/* Those that were not asked are not found; @instead is, in their place. */
		l->weight = instead ? 1024 : 1024 * n / most;
		return one->thread;
	}
	return instead;
}

/* Who was woken on this CPU, which was idle, before the instant. */
static struct sample_thread *ask_woken(struct look *l)
{
	unsigned asked = 0;

	/* With more than there are CPUs, somebody else may have had this one. */
	if (l->runnable <= 0 || l->runnable > (int)l->s->cpus)
		return NULL;
	for (struct sample_thread *t = l->s->newest; t && asked < RECENT_MOST;
		t = t->older, asked++)
		if (is_running(l, t) && was_woken(l, t))
			return t;
	return NULL;
}

/*
 * A thread that was asked to stop at an earlier instant and was on this CPU until we came. An
 * interrupted thread stops before it is in its own code again: it has been in one call since.
 */
static struct sample_thread *ask_stopping(struct look *l)
{
	unsigned n = 0;

	for (struct sample_thread *t = l->s->newest; t && n < RECENT_MOST; t = t->older, n++) {
		struct cpu_time cpu;

		if (!t->stopping || l->s->probe->cpu_time(l->s->context, t, &cpu) < 0 ||
			cpu.run_ns - t->order.before.run_ns < STOP_RUN_NS)
			continue;
		/* Without time stamps nothing tells whether it runs. */
		if (l->error >= 0 && was_replaced(l, t))
			return t;
	}
	return NULL;
}

bool observe_is_steady(const struct sample_cpu *c)
{
	return c->last && !c->failures && c->last->steady >= SAMPLE_STEADY && c->resumed == c->last;
}

unsigned observe_turns(const struct sampler *s, unsigned cpu)
{
	return s->cpu[cpu].let_go + (cpu != s->host);
}

/*
 * A thread that has this CPU to itself: that it was preempted, and not woken just now, shows in its
 * figures since its last stop here. It was put on its CPU only when we let go of that, and but for
 * what we had, and the ways between us, it ran all the time.
 */
static struct sample_thread *ask_alone(struct look *l)
{
	struct sample_cpu *c = &l->s->cpu[l->cpu];
	struct sample_thread *t = c->last;
	struct cpu_time *before;

	if (!t || c->failures || c->resumed != t || !is_running(l, t))
		return NULL;
	before = &t->order.before;
	return l->s->probe->cpu_time(l->s->context, t, before) >= 0 &&
			before->slices - t->resumed.slices == observe_turns(l->s, l->cpu) &&
			before->run_ns - t->resumed.run_ns + c->had_ns + SAMPLE_WAKE_NS >=
				l->woke_ns - t->resumed_ns
		? t
		: NULL;
}

struct sample_thread *observe_runnable(struct look *l)
{
	unsigned asked = 0;

	for (struct sample_thread *t = l->s->newest; t && asked < RECENT_MOST;
		t = t->older, asked++)
		if (is_running(l, t))
			return t;
	return NULL;
}

struct sample_thread *observe(struct look *l)
{
	struct sleeper sleeper[2 * RECENT_MOST];
	struct sample_thread *t = ask_alone(l);
	unsigned n = 0;

	if (t) {
		t->order.proof = SAMPLE_BY_WAIT;
		return t;
	}
	if (!l->s->threads)
		return NULL;
	/* At once: in the fair class our stamp is renewed when another thread is queued. What
	 * tables lose at their end nobody makes up for. */
	l->error = l->s->probe->arrived(l->s->context, l->cpu, &l->arrival);
	l->ours = l->error >= 0 && l->planned_ns > l->arrival.monotonic_ns &&
		!sampler_has_tables(l->s);
	if (l->ours)
		return NULL;
	/* Before others are woken: they would wait for the CPU that we have. */
	l->runnable = l->s->probe->runnable(l->s->context);
	t = ask_recent(l, sleeper, &n);
	t = ask_sleepers(l, sleeper, n, t);
	if (!t)
		t = ask_others(l);
	if (!t)
		t = ask_woken(l);
	if (t) {
		t->order.proof = SAMPLE_BY_STAMP;
		t->order.before = t->asked;
		return t;
	}
	t = ask_stopping(l);
	l->stopping = t != NULL;
	return t;
}

void observe_company(struct sampler *s, int own)
{
	int runnable = s->probe->runnable(s->context);

	s->company = s->company << 1 | (runnable < 0 || runnable > own);
}

/* The last thread that was met here is on its way to its stop: that time is nobody's, too. */
static bool is_stopping(struct look *l)
{
	struct sample_thread *t = l->s->cpu[l->cpu].last;

	return t && t->stopping && l->planned_ns < t->order.woke_ns + STOP_MOST_NS &&
		has_its_cpu(l);
}

/* The last thread that was stopped here is on its way back: the time that takes is the stop's. */
static bool is_coming_back(struct look *l)
{
	struct sample_thread *t = l->s->cpu[l->cpu].resumed;
	struct cpu_time cpu;

	return t && is_running(l, t) && l->s->probe->cpu_time(l->s->context, t, &cpu) >= 0 &&
		cpu.run_ns == t->resumed.run_ns && cpu.slices == t->resumed.slices &&
		has_its_cpu(l);
}

bool observe_cannot_tell(struct look *l)
{
	return l->ours || is_stopping(l) || !l->s->probe->holds(l->s->context, l->cpu) ||
		is_coming_back(l);
}
