/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/mem.h"

/* How long a waiter spins for its turn, mostly while the tracing thread works on another CPU. */
#define CLAIM_NS 200000
/* A waiter whose turn lasts longer than this may continue on another CPU. */
#define STUCK_NS 20000000
/* Interval between two adjustments of the periods (sampler_turn()). */
#define DECIDE_NS 20000000
/* Interval between two look-ups of the CPUs. */
#define REVIEW_NS CLOCK_SECOND_NS

/* Finds the thread that was preempted. True: the tracing thread is to stop it. */
static bool ask(struct sampled_cpu *c)
{
	struct sampling *s = c->sampling;

	s->strayed |= c->instant.arrival.cpu != c->waiter.cpu;
	s->hit = sampler_instant(&s->sampler, &c->instant);
	atomic_store(&c->stretch_1024, sampler_stretch(&s->sampler, c->instant.cpu));
	return s->hit != NULL;
}

/* A hit that nobody has served is lost: its thread has probably run since. */
static void drop_hit(struct sampling *s)
{
	if (s->hit)
		sampler_lose(&s->sampler, s->hit, true);
	s->hit = NULL;
}

/* Called by a waiter at its instant. False: it did not get its turn in time. */
static bool take_instant(struct sampled_cpu *c)
{
	struct sampling *s = c->sampling;
	unsigned number = expected_ask(&c->expected, &c->instant);
	uint64_t began, took;
	bool hit;

	if (c->instant.error < 0)
		c->instant.arrival.run_ns =
			clock_read(CLOCK_THREAD_CPUTIME_ID) - (clock_now() - c->instant.woke_ns);
	if (!summons_claim(&s->summons, (int)c->instant.cpu, c->instant.woke_ns + CLAIM_NS))
		return false;
	began = clock_now();
	expected_settle(&c->expected, number, &c->instant);
	drop_hit(s);
	hit = ask(c);
	took = clock_now() - began;
	audit_histogram_add(&s->question, took);
	s->worked_ns += took;
	/* The tracing thread pins a waiter that has strayed (sampling_cpus_review()). */
	if (hit || s->strayed) {
		c->called_run_ns = c->instant.arrival.run_ns;
		summons_call(&s->summons, c->waiter.cpu);
	} else {
		summons_give_back(&s->summons);
	}
	return true;
}

/* Updates the CPU's plan, drops instants at which we occupied the CPU; returns the next instant. */
static uint64_t adopt(struct sampled_cpu *c)
{
	struct sampling *s = c->sampling;
	uint64_t now = clock_now();

	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		plan_set_period(&c->plan, i, atomic_load(&s->period_ns[i]), now);
	plan_set_factors(
		&c->plan, atomic_load(&s->factor_1024), atomic_load(&c->stretch_1024), now);
	plan_drop(&c->plan, now);
	now = atomic_load(&c->gone) ? PLAN_NEVER : plan_next(&c->plan);
	atomic_store(&c->next_ns, now);
	return now;
}

/* Fills in the instant that is due at @woke. False: none is due, or it is dropped. */
static bool begin_instant(
	struct sampled_cpu *c, uint64_t woke, const struct arrival *arrival, int error)
{
	uint64_t planned = plan_next(&c->plan);

	if (planned > woke)
		return false;
	c->instant.planned_ns = planned;
	c->instant.woke_ns = woke;
	c->instant.arrival = *arrival;
	c->instant.error = error;
	c->instant.expected = NULL;
	plan_take(&c->plan, woke, &c->instant.due);
	/* An instant during our own occupation of this CPU is dropped: the target did not run. */
	return planned > atomic_load(&c->occupied_until_ns);
}

/* The callback of struct cpu_waiter, called in the waiter's thread. */
static uint64_t wake(void *context, uint64_t woke, const struct arrival *arrival, int error)
{
	struct sampled_cpu *c = context;
	struct sampling *s = c->sampling;

	if (woke && begin_instant(c, woke, arrival, error) &&
		atomic_load(&s->works_on) != (int)c->instant.cpu && !take_instant(c))
		atomic_fetch_add(&s->busy, c->instant.due.streams & 1);
	return adopt(c);
}

int sampling_init(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	int r = summons_init(&s->summons);

	if (r < 0)
		return r;
	s->load_fd = procfs_open_load();
	s->sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	atomic_store(&s->factor_1024, PLAN_ONE);
	atomic_store(&s->works_on, -1);
	s->served_on = -1;
	(void)!getrandom(&s->seed, sizeof(s->seed), GRND_NONBLOCK);
	s->seed ^= clock_now();
	r = sampler_init(&s->sampler, &sampling_probe, engine, NULL, 0, ~s->seed);
	return r < 0 ? r : sampling_cpus_init(s, wake);
}

void sampling_begin(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	realtime_begin(&s->realtime, !engine->options->no_realtime);
	s->sampler.realtime = s->realtime.has;
	if (engine->options->own_session)
		(void)setsid();
	engine->audit.realtime = s->sampler.realtime;
	say_line(&engine->say, SAY_DETAIL, "%s",
		s->sampler.realtime ? "the sampler has real-time priority (SCHED_FIFO)"
				    : "the sampler has no real-time priority");
	s->begun = true;
	s->woke_cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	sampling_cpus_start(s);
	sampling_set_periods(engine);
}

void sampling_release(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	sampling_cpus_release(s);
	sampler_release(&s->sampler);
	summons_release(&s->summons);
	if (s->load_fd >= 0)
		(void)close(s->load_fd);
	if (s->sched_fd >= 0)
		(void)close(s->sched_fd);
	s->load_fd = s->sched_fd = -1;
}

int sampling_add(struct engine *engine, struct tracee *t)
{
	struct sample_thread *thread = mem_new(1, sizeof(*thread));

	if (!thread)
		return -ENOMEM;
	if (sampler_add(&engine->sampling.sampler, thread, t) < 0) {
		free(thread);
		return -ENOMEM;
	}
	t->sample = thread;
	return 0;
}

void sampling_remove(struct engine *engine, struct tracee *t)
{
	struct sampling *s = &engine->sampling;

	if (!t->sample)
		return;
	if (s->hit == t->sample)
		drop_hit(s);
	else if (t->sample->stopping)
		sampler_lose(&s->sampler, t->sample, false);
	expected_forget(engine, t);
	sampler_remove(&s->sampler, t->sample);
	free(t->sample);
	t->sample = NULL;
}

void sampling_set_periods(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	bool began = !engine->options->command || engine->life.executed, changed = false;
	bool wanted = !engine->reader.missing || engine->options->histogram;
	uint64_t period[PLAN_STREAMS] = {
		engine->counting && began && wanted ? engine->period_ns : 0};

	if (!s->begun)
		return;
	for (unsigned i = 1; i < SAMPLING_HISTOGRAM; i++)
		period[i] = session_period_ns(&engine->sessions, i);
	period[SAMPLING_HISTOGRAM] = engine->options->histogram ? period[0] : 0;
	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		sampler_set_period(&s->sampler, i, period[i]);
		changed |= atomic_exchange(&s->period_ns[i], period[i]) != period[i];
	}
	if (changed)
		sampling_cpus_renew(s);
}

/*
 * The tracing thread, whose CPU time is @cpu_ns, has woken up: what it used since it last woke up
 * was its last turn. Time of other programs, even in a thread's stop, is not in it. If the last
 * instant of the CPU was a miss, no thread of the target was preempted, and the target lost
 * nothing.
 */
static void note_turn(struct engine *engine, uint64_t cpu_ns)
{
	struct sampling *s = &engine->sampling;
	uint64_t used = cpu_ns - s->woke_cpu_ns;

	s->woke_cpu_ns = cpu_ns;
	s->worked_ns += used;
	if (s->served_on < 0)
		return;
	sampler_occupied(&s->sampler, (unsigned)s->served_on, used + s->asked_ns);
	if (s->served_hit)
		cost_spend(&engine->bounds.cost, used + s->asked_ns);
	s->served_on = -1;
	s->asked_ns = 0;
}

/* Requests the stop that a waiter called for, or samples the thread where it sleeps. */
static void serve(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	struct sample_thread *hit = s->hit;
	struct tracee *t = hit ? hit->owner : NULL;
	struct sampled_cpu *c;

	s->hit = NULL;
	if (!t)
		return;
	c = s->cpu[hit->hit.cpu];
	/*
	 * If the waiter read its CPU time itself, in its turn, the kernel would find that its slice
	 * is over, and all other waiters would wait until it gets its CPU back.
	 */
	if (c->waiter.started && atomic_load(&s->works_on) == (int)hit->hit.cpu)
		s->asked_ns = clock_read(c->waiter.clock) - c->called_run_ns;
	if (hit->hit.asleep) {
		blocked_scan_take_tick(engine, t);
	} else if (sampler_confirm(&s->sampler, hit)) {
		if (stops_ask(engine, t))
			t->stop_requested_cpu = hit->hit.before;
		else
			sampler_lose(&s->sampler, hit, false);
	}
}

void sampling_rest(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	int on = atomic_load(&s->works_on);

	if (!s->begun)
		return;
	/* Waiters wait for the end of this turn, so its CPU time is read later, in note_turn(). */
	s->served_on = on;
	s->served_hit = on >= 0 && s->sampler.cpu[on].hit;
	if (on >= 0)
		atomic_store(&s->cpu[on]->occupied_until_ns, clock_now());
	atomic_store(&s->works_on, -1);
	summons_rest(&s->summons);
}

uint64_t sampling_next(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t at = PLAN_NEVER;

	for (unsigned i = 0; s->begun && i < s->sampler.cpus; i++)
		if (!s->cpu[i]->waiter.started && atomic_load(&s->cpu[i]->next_ns) < at)
			at = atomic_load(&s->cpu[i]->next_ns);
	return at;
}

/*
 * Takes a due instant of a CPU whose waiter could not be started, on whichever CPU we run. @error
 * is the result of arrival_read() for @arrival.
 */
static void wait_in_place(struct engine *engine, struct sampled_cpu *c, uint64_t now,
	const struct arrival *arrival, int error)
{
	struct arrival here = *arrival;

	if (c->waiter.started || atomic_load(&c->next_ns) > now)
		return;
	here.cpu = c->waiter.cpu;
	if (begin_instant(c, now, &here, error) && ask(c))
		serve(engine);
	(void)adopt(c);
}

void sampling_keep(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;

	if (now >= s->decide_next_ns) {
		sampler_turn(&s->sampler, atomic_exchange(&s->busy, 0),
			s->worked_ns > (now + DECIDE_NS - s->decide_next_ns) / 2);
		s->decide_next_ns = now + DECIDE_NS;
		s->worked_ns = 0;
		atomic_store(&s->factor_1024, sampler_factor(&s->sampler));
	}
	if ((s->strayed && now >= s->stray_next_ns) || now >= s->review_next_ns) {
		s->stray_next_ns = now + DECIDE_NS;
		s->review_next_ns = now + REVIEW_NS;
		sampling_cpus_review(engine);
	}
	if (!realtime_watch(&s->realtime, now))
		return;
	s->sampler.realtime = engine->audit.realtime = s->realtime.has;
	sampling_cpus_start(s);
	say_line(&engine->say, SAY_DETAIL, "%s",
		s->realtime.has             ? "the sampler has real-time priority again"
			: s->realtime.first ? "the sampler has nice value -20 again"
					    : "sampling took three quarters of a CPU with "
					      "priority, and goes on without it");
}

/*
 * Begins the tracing thread's turn when a waiter's turn ends. If that takes STUCK_NS, a program of
 * higher priority has the waiter's CPU: the waiter finishes on another CPU, and is then pinned to
 * its own again.
 */
static void take_turn(struct sampling *s)
{
	struct cpu_waiter *freed = NULL;
	int index;

	while (summons_wake(&s->summons, STUCK_NS) < 0) {
		index = atomic_load(&s->summons.state);
		if (index < 0)
			continue;
		freed = &s->cpu[index]->waiter;
		(void)priority_any_cpu(freed->thread);
	}
	if (freed)
		cpu_waiter_pin(freed);
}

void sampling_wake(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	struct arrival arrival = {.waited_ns = ARRIVAL_UNKNOWN};
	uint64_t cpu_ns;
	int r = 0;

	if (!s->begun)
		return;
	/* Comes first: once this thread reads its CPU time, the time stamp is a later one. */
	if (sampling_next(engine) <= now)
		r = arrival_read(s->sched_fd, now, &arrival);
	/* Read before the turn: if reading ends this thread's slice, no waiter waits for it. */
	cpu_ns = clock_read(CLOCK_THREAD_CPUTIME_ID);
	take_turn(s);
	note_turn(engine, cpu_ns);
	/* The watchdog has unpinned this thread: a program of higher priority has its CPU. */
	if (atomic_exchange(&engine->watchdog.moved, false))
		atomic_store(&s->summons.cpu, -1);
	atomic_store(&s->works_on, sampler_cpu(&s->sampler, atomic_load(&s->summons.cpu)));
	serve(engine);
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		wait_in_place(engine, s->cpu[i], now, &arrival, r);
}
