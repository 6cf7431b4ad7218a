/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/keeper.h"
#include "supervisor/engine/sampling_probe.h"
#include "supervisor/engine/stops.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/priority.h"

/*
 * The tracing thread wakes up before a waiter by LEAD_NS at first, then by how late it usually is
 * and LEAD_SPARE_NS. It awaits the waiter for AWAIT_NS after the instant.
 */
#define LEAD_NS       40000
#define LEAD_MOST_NS  100000
#define LEAD_SPARE_NS 8000
#define AWAIT_NS      100000

bool sampling_covers(const struct engine *engine, int pid)
{
	const struct sampler *s = &engine->sampling.sampler;
	cpu_set_t theirs;

	CPU_ZERO(&theirs);
	if (sched_getaffinity(pid, sizeof(theirs), &theirs) < 0)
		return true;
	for (unsigned i = 0; i < s->cpus; i++)
		CPU_CLR(s->cpu[i].number, &theirs);
	return CPU_COUNT(&theirs) == 0;
}

int sampling_init(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	int number[CPU_SETSIZE];
	cpu_set_t all;
	unsigned cpus = 0;
	uint64_t seed = 0;

	s->host = -1;
	s->lead_ns = LEAD_NS;
	s->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->bell_fd < 0)
		return -errno;
	s->load_fd = procfs_open_load();
	s->sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	priority_cpus(&s->allowed, &all);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			number[cpus++] = i;
	if (!cpus)
		number[cpus++] = 0;
	(void)getrandom(&seed, sizeof(seed), GRND_NONBLOCK);
	s->waiter = mem_new(cpus, sizeof(*s->waiter));
	if (!s->waiter)
		return -ENOMEM;
	return sampler_init(&s->sampler, &sampling_probe, engine, number, cpus, seed ^ clock_now());
}

static bool has_waiter(const struct sample_cpu *c)
{
	return c->way != SAMPLE_HOSTED;
}

static void use_waiters(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		struct sample_cpu *c = &s->sampler.cpu[i];
		struct cpu_waiter *w = &s->waiter[i];
		uint64_t next = has_waiter(c) ? sampler_next(&s->sampler, i) : PLAN_NEVER;

		if (has_waiter(c) && !w->started)
			(void)cpu_waiter_start(
				w, c->number, s->bell_fd, &s->heard, s->sampler.realtime);
		if (w->started && atomic_load(&w->at_ns) != next)
			cpu_waiter_set(w, next);
		if ((int)i != s->sampler.keeper)
			cpu_waiter_keep(w, UINT64_MAX, false);
	}
}

static void go_to(struct engine *engine, int host)
{
	struct sampling *s = &engine->sampling;
	cpu_set_t set = s->allowed;

	if (host == s->host)
		return;
	if (host >= 0) {
		CPU_ZERO(&set);
		CPU_SET(s->sampler.cpu[host].number, &set);
	}
	(void)sched_setaffinity(0, sizeof(set), &set);
	s->host = host;
}

void sampling_unpin(struct engine *engine)
{
	if (engine->sampling.begun)
		go_to(engine, -1);
}

/* Who waits where, from now on. */
static void take_ways(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	int host;

	if (now < s->sampler.ways_next_ns)
		return;
	host = (int)sampler_ways(&s->sampler, now);
	go_to(engine, host);
	use_waiters(engine);
}

void sampling_begin(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	realtime_begin(&s->realtime, !engine->options->no_realtime);
	s->sampler.realtime = s->realtime.has;
	s->sampler.timer_ns = clock_timer_cost();
	if (engine->options->own_session)
		(void)setsid();
	engine->audit.realtime = s->sampler.realtime;
	say_line(&engine->say, SAY_DETAIL, "%s",
		s->sampler.realtime ? "the sampler has real-time priority (SCHED_FIFO)"
				    : "the sampler has no real-time priority");
	s->begun = true;
	s->sleeps = clock_sleeps();
	arrival_rest(&s->log);
	take_ways(engine, clock_now());
	sampling_set_periods(engine);
}

void sampling_release(struct engine *engine)
{
	struct sampling *s = &engine->sampling;

	for (unsigned i = 0; s->waiter && i < s->sampler.cpus; i++)
		cpu_waiter_stop(&s->waiter[i]);
	free(s->waiter);
	free(s->asked);
	s->waiter = NULL;
	s->asked = NULL;
	sampler_release(&s->sampler);
	if (s->bell_fd >= 0)
		(void)close(s->bell_fd);
	if (s->sched_fd >= 0)
		(void)close(s->sched_fd);
	if (s->load_fd >= 0)
		(void)close(s->load_fd);
	s->bell_fd = s->sched_fd = s->load_fd = -1;
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
	stops_forget(&engine->sampling, t);
	if (t->sample && t->ordered)
		sampler_lose(&engine->sampling.sampler, t->sample);
	t->ordered = false;
	if (t->sample)
		sampler_remove(&engine->sampling.sampler, t->sample);
	free(t->sample);
	t->sample = NULL;
}

void sampling_set_periods(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	bool began = !engine->options->command || engine->life.executed;
	uint64_t now = clock_now(), period = engine->counting && began ? engine->period_ns : 0;

	if (!s->begun)
		return;
	sampler_set_period(&s->sampler, 0, period, now);
	for (unsigned i = 1; i < SAMPLING_HISTOGRAM; i++)
		sampler_set_period(&s->sampler, i, session_period_ns(&engine->sessions, i), now);
	sampler_set_period(
		&s->sampler, SAMPLING_HISTOGRAM, engine->options->histogram ? period : 0, now);
	use_waiters(engine);
}

/* An instant of @cpu, at which the supervisor came at @woke. */
static void take_instant(struct engine *engine, unsigned cpu, uint64_t planned, uint64_t woke)
{
	struct sampling *s = &engine->sampling;
	bool here = (int)cpu == s->host;
	struct sample_thread *found;
	struct tracee *t;

	/* A table's tick is not given up: its counters are the program's, not the profile's. */
	if (!bounds_may_stop(engine) &&
		!(plan_due(&s->sampler.cpu[cpu].plan, planned) & ~1U)) {
		sampler_miss(&s->sampler, cpu, planned, true);
		return;
	}
	found = sampler_instant(
		&s->sampler, cpu, planned, here ? keeper_called(s, planned) : planned, woke);
	t = found ? found->owner : NULL;
	if (t && found->order.asleep) {
		look_take_tick(engine, t);
		return;
	}
	if (!t)
		return;
	if (!stops_ask(engine, t)) {
		sampler_lose(&s->sampler, found);
		return;
	}
	t->ordered = true;
	t->remote = !here;
	if (found->order.proof != SAMPLE_BY_STAMP)
		t->asked_cpu = found->order.before;
	sampler_asked(&s->sampler, found, !here);
	if (!here &&
		mem_grow((void **)&s->asked, &s->asked_room, s->asked_n + 1, sizeof(*s->asked)) ==
			0)
		s->asked[s->asked_n++] = t;
}

static void serve_waiter(struct engine *engine, unsigned cpu, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	struct cpu_waiter *w = &s->waiter[cpu];
	uint64_t held;

	if (!cpu_waiter_calls(w))
		return;
	if (cpu_waiter_state(w) == CPU_WAITER_HOLDS)
		take_instant(engine, cpu, atomic_load(&w->at_ns), atomic_load(&w->woke_ns));
	else
		sampler_miss(&s->sampler, cpu, now, false);
	/* It may have let go long before. */
	held = clock_now() - atomic_load(&w->woke_ns);
	sampler_had(&s->sampler, cpu, held < CPU_WAITER_HOLD_NS ? held : CPU_WAITER_HOLD_NS);
	sampler_let_go(&s->sampler, cpu);
	atomic_store(&w->arrival_late, sampler_is_steady(&s->sampler, cpu));
	cpu_waiter_set(w, sampler_next(&s->sampler, cpu));
}

/*
 * All that this thread does is done in place of the threads of its CPU; what lies between two
 * sleeps is known to the nanosecond.
 */
bool sampling_rest(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t used;

	if (!s->begun)
		return true;
	atomic_store(&s->heard, false);
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		if (s->waiter[i].started && cpu_waiter_calls(&s->waiter[i]))
			return false;
	used = s->log.rest_ns;
	arrival_rest(&s->log);
	if (s->host >= 0)
		sampler_had(&s->sampler, (unsigned)s->host, s->log.rest_ns - used);
	return true;
}

/* The instant of the CPU that the tracing thread is to be awake for; PLAN_NEVER: there is none. */
static uint64_t awaited_at(const struct sampling *s)
{
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		if (s->sampler.cpu[i].way == SAMPLE_AWAITED && s->waiter[i].started)
			return atomic_load(&s->waiter[i].at_ns);
	return PLAN_NEVER;
}

uint64_t sampling_next(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t next = PLAN_NEVER, awaited = s->begun ? awaited_at(s) : PLAN_NEVER;
	uint64_t now = clock_now();

	for (unsigned i = 0; s->begun && i < s->sampler.cpus; i++) {
		uint64_t at = has_waiter(&s->sampler.cpu[i]) && s->waiter[i].started
			? PLAN_NEVER
			: sampler_next(&s->sampler, i);

		if ((int)i == s->host)
			at = keeper_or_timer(s, at, now);
		next = at < next ? at : next;
	}
	s->lead_at_ns = 0;
	if (s->begun)
		keeper_order(s);
	/* A waiter that is late itself, as it does not get its CPU, rings when it comes. */
	if (awaited != PLAN_NEVER && awaited - s->lead_ns < next && now < awaited)
		next = s->lead_at_ns = awaited - s->lead_ns;
	return next;
}

/* Awake a little before a thread that waits on another CPU: it need not hold that for long. */
static uint64_t await_waiter(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;
	uint64_t at = awaited_at(s), late;

	if (!s->lead_at_ns || now < s->lead_at_ns || at == PLAN_NEVER)
		return now;
	/* The lead is how late this thread mostly wakes up, and a little more. */
	late = now - s->lead_at_ns < LEAD_MOST_NS ? now - s->lead_at_ns : LEAD_MOST_NS;
	s->lead_ns += ((int64_t)(late + LEAD_SPARE_NS) - (int64_t)s->lead_ns) / 8;
	s->lead_at_ns = 0;
	/* It may have been told another time since. */
	while (now < at + AWAIT_NS && now + LEAD_MOST_NS > at) {
		for (unsigned i = 0; i < s->sampler.cpus; i++)
			if (s->waiter[i].started && cpu_waiter_calls(&s->waiter[i]))
				return now;
		now = clock_now();
	}
	return now;
}

static void watch_own_time(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;

	if (!realtime_watch(&s->realtime, now))
		return;
	s->sampler.realtime = engine->audit.realtime = s->realtime.has;
	for (unsigned i = 0; i < s->sampler.cpus; i++)
		cpu_waiter_stop(&s->waiter[i]);
	use_waiters(engine);
	say_line(&engine->say, SAY_DETAIL, "%s",
		s->realtime.has ? "the sampler has real-time priority again"
				: "sampling took three quarters of a CPU in real time, and goes on "
				  "without it");
}

static void note_coming(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	long sleeps = clock_sleeps();

	s->came = sleeps != s->sleeps;
	s->deferred = s->deferred && !s->came;
	for (; s->sleeps < sleeps; s->sleeps++)
		if (s->host >= 0)
			sampler_let_go(&s->sampler, (unsigned)s->host);
}

/*
 * The tracing thread has woken up. If it did for an instant of its own CPU, its time stamp is read
 * at once, as the next scheduler tick renews it.
 */
static void note_arrival(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;

	note_coming(engine);
	s->arrival.last_ns = 0;
	if (s->host >= 0 && now >= sampler_next(&s->sampler, (unsigned)s->host) &&
		!sampler_is_steady(&s->sampler, (unsigned)s->host))
		(void)arrival_read(&s->log, s->sched_fd, &s->arrival);
}

/*
 * An instant that fell due while the tracing thread had the CPU for something else comes later by
 * that time: the plan is shifted by it when the thread sleeps. Once until then, as the shift may
 * not suffice.
 */
static bool is_deferred(struct sampling *s, uint64_t planned)
{
	bool ours = !s->came || (s->arrival.last_ns && planned > s->arrival.monotonic_ns);

	if (!ours || s->deferred || plan_due(&s->sampler.cpu[s->host].plan, planned) != 1)
		return false;
	s->deferred = true;
	return true;
}

void sampling_woken(struct engine *engine)
{
	struct sampling *s = &engine->sampling;
	uint64_t now = clock_now(), next;

	note_arrival(engine, now);
	next = s->host < 0 ? PLAN_NEVER : sampler_next(&s->sampler, (unsigned)s->host);
	if (now >= next && !is_deferred(s, next))
		take_instant(engine, (unsigned)s->host, next, now);
}

void sampling_wake(struct engine *engine, uint64_t now)
{
	struct sampling *s = &engine->sampling;

	if (!s->begun)
		return;
	if (atomic_exchange(&engine->watchdog.moved, false)) {
		sampler_bar(&s->sampler, now);
		go_to(engine, -1);
	}
	note_arrival(engine, now);
	atomic_store(&s->heard, true);
	now = await_waiter(engine, now);
	for (unsigned i = 0; i < s->sampler.cpus; i++) {
		uint64_t next = sampler_next(&s->sampler, i);

		if (has_waiter(&s->sampler.cpu[i]) && s->waiter[i].started) {
			serve_waiter(engine, i, now);
			continue;
		}
		/* It woke up when it was just not wanted any more. */
		if (s->waiter[i].started && cpu_waiter_calls(&s->waiter[i]))
			cpu_waiter_set(&s->waiter[i], PLAN_NEVER);
		if (now >= next && ((int)i != s->host || !is_deferred(s, next)))
			take_instant(engine, i, next, now);
	}
	stops_collect(engine);
	if (!s->asked_n)
		take_ways(engine, now);
	watch_own_time(engine, now);
}
