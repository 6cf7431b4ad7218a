/* SPDX-License-Identifier: MIT */
/* CPUs, and a scheduler like the kernel's fair class, also for the supervisor's threads. */
#include "tests/unit/supervisor/simulator_cpu.h"

/* Duration of a wake-up of the tracing thread, from another CPU or by an eventfd. */
#define CALL_LEAST_NS 1000
#define CALL_MOST_NS  2500
/* An idle CPU needs SHALLOW_* for anything, even timers; after SHALLOW_NS of idleness, IDLE_*. */
#define SHALLOW_NS       100000
#define SHALLOW_LEAST_NS 500
#define SHALLOW_MOST_NS  1500
#define IDLE_LEAST_NS    3000
#define IDLE_MOST_NS     30000
/* A fair thread's slice, ended by a tick; the lag by which a woken thread preempts at once. */
#define SLICE_NS  2800000
#define TICK_NS   4000000
#define LAG_NS    1000000
#define CREDIT_NS 1400000
/* A thread that ran within this time is not migrated. */
#define HOT_NS 500000
/* In the fair class with threads in the queue, one in so many wake-ups comes late. */
#define LATE_ONE_OF 6

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_idle(const struct sim_cpu *c)
{
	return !c->current && !c->queued && c->ours == SIM_NOT_OURS;
}

bool sim_cpu_is_called(const struct sim *sim, const struct sim_cpu *c)
{
	return earlier(c->arrives_ns[SIM_WAITER_COMES], c->arrives_ns[SIM_TRACER_COMES]) <=
		sim->now;
}

uint64_t sim_slowness(struct sim *sim)
{
	uint64_t slow = sim->options.slow_ns;

	return slow ? sim_between(sim, slow / 2, slow * 3 / 2) : 0;
}

bool sim_is_atomic(const struct sim_thread *t)
{
	return t->phase != SIM_BODY || t->step.kind == SIM_ATOMIC;
}

/* The supervisor does not interrupt code that cannot be preempted. */
void sim_cpu_refresh(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->current;
	uint64_t next = c->waiter_at_ns;

	if (t) {
		c->event_ns = c->accounted_ns + t->left_ns;
		if (c->queued && !sim_is_atomic(t) && c->slice_end_ns < c->event_ns)
			c->event_ns = c->slice_end_ns > sim->now ? c->slice_end_ns : sim->now;
		next = earlier(next, c->event_ns);
	}
	if (c->leaves_ns)
		next = earlier(next, c->leaves_ns);
	if (c->idle && c->exits_ns != SIM_NEVER)
		next = earlier(next, c->exits_ns);
	else if (c->ours == SIM_NOT_OURS && !(t && sim_is_atomic(t)))
		next = earlier(next,
			earlier(c->arrives_ns[SIM_WAITER_COMES], c->arrives_ns[SIM_TRACER_COMES]));
	if (c->holds)
		next = earlier(next, c->holds_until_ns);
	c->next_ns = next;
}

void sim_cpu_account(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->current;
	uint64_t ran = sim->now - c->accounted_ns;

	c->accounted_ns = sim->now;
	if (!t)
		return;
	t->run_ns += ran;
	t->vruntime_ns += ran;
	t->left_ns -= ran;
	if (!t->foreign)
		sim->result->truth[sim->batch][t->step.place] += (double)ran;
}

void sim_account(struct sim *sim)
{
	for (unsigned i = 0; i < sim->options.cpus; i++)
		sim_cpu_account(sim, &sim->cpu[i]);
}

void sim_cpu_leave(struct sim *sim, struct sim_cpu *c, enum sim_state state)
{
	struct sim_thread *t = c->current;

	t->state = state;
	t->stamp_ns = sim->now;
	c->left = t;
	c->current = NULL;
}

void sim_call_tracer(struct sim *sim, const struct sim_cpu *from)
{
	struct sim_cpu *c = &sim->cpu[sim->tracer_cpu];

	if (sim->tracer_runs || sim->tracer_called)
		return;
	sim->tracer_called = true;
	c->arrives_ns[SIM_TRACER_COMES] = sim->now;
	if (c != from)
		c->arrives_ns[SIM_TRACER_COMES] += sim_between(sim, CALL_LEAST_NS, CALL_MOST_NS);
	if (c != from)
		sim_cpu_refresh(sim, c);
}

void sim_tell_tracer(struct sim *sim, struct sim_thread *t, const struct sim_cpu *from)
{
	if (!t->reported)
		sim->report[sim->reports++] = t;
	t->reported = true;
	sim_call_tracer(sim, from);
}

void sim_cpu_stop(struct sim *sim, struct sim_cpu *c)
{
	sim_tell_tracer(sim, c->current, c);
	sim_cpu_leave(sim, c, SIM_STOPPED);
}

void sim_cpu_requeue(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->current;

	sim_cpu_leave(sim, c, SIM_QUEUED);
	t->since_ns = sim->now;
	c->queue[c->queued++] = t;
}

static struct sim_thread *unqueue(struct sim_cpu *c, size_t i)
{
	struct sim_thread *t = c->queue[i];

	c->queue[i] = c->queue[--c->queued];
	return t;
}

static void move_to(struct sim *sim, struct sim_thread *t, unsigned cpu)
{
	t->vruntime_ns += sim->cpu[cpu].min_vruntime_ns - sim->cpu[t->cpu].min_vruntime_ns;
	t->cpu = (int)cpu;
}

/* Migrates a thread that is not hot from the longest queue to @cpu, which is idle. */
static void pull(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *from = &sim->cpu[cpu];

	for (unsigned i = 0; i < sim->options.cpus; i++)
		if (sim->cpu[i].queued > from->queued)
			from = &sim->cpu[i];
	for (size_t i = 0; i < from->queued && from != &sim->cpu[cpu]; i++) {
		if (sim->now - from->queue[i]->stamp_ns < HOT_NS)
			continue;
		move_to(sim, from->queue[i], cpu);
		sim->cpu[cpu].queue[sim->cpu[cpu].queued++] = unqueue(from, i);
		sim_cpu_refresh(sim, from);
		return;
	}
}

static void put_on_cpu(struct sim *sim, unsigned cpu, struct sim_thread *t)
{
	struct sim_cpu *c = &sim->cpu[cpu];
	uint64_t tick = (sim->now + SLICE_NS + TICK_NS - 1 + cpu % 4 * 1000000) / TICK_NS * TICK_NS;

	if (t->vruntime_ns > c->min_vruntime_ns)
		c->min_vruntime_ns = t->vruntime_ns;
	t->state = SIM_ON_CPU;
	if (c->leaves_ns && t->fresh) {
		t->run_ns += sim->now - t->since_ns;
		if (!t->foreign)
			sim->result->truth[sim->batch][t->step.place] +=
				(double)(sim->now - t->since_ns);
	} else {
		t->wait_ns += sim->now - t->since_ns;
	}
	c->leaves_ns = 0;
	t->fresh = false;
	t->slices++;
	t->since_ns = t->stamp_ns = c->accounted_ns = sim->now;
	c->current = t;
	c->slice_end_ns = tick - cpu % 4 * 1000000;
	if (t->phase == SIM_SLEEPING && !t->interrupt) {
		t->phase = SIM_WAKING;
		t->left_ns = SIM_WAKE_UP_NS;
	}
	/* A thread stops in the program's code, or at the end of a call. */
	if (t->interrupt &&
		(!t->left_ns || t->phase == SIM_SLEEPING ||
			(t->phase == SIM_BODY && t->step.kind == SIM_RUN)))
		sim_cpu_stop(sim, c);
}

void sim_cpu_come(struct sim *sim, unsigned cpu, unsigned who)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	if (c->current)
		sim_cpu_requeue(sim, c);
	c->replaced = c->left && c->left->stamp_ns == sim->now ? c->left
		: c->leaves_ns && c->queued                    ? c->queue[0]
							       : NULL;
	c->arrives_ns[who] = SIM_NEVER;
	c->stamp_ns = sim->now;
	c->leaves_ns = 0;
	if (who == SIM_TRACER_COMES) {
		c->ours = SIM_TRACER;
		sim->tracer_runs = true;
		return;
	}
	c->ours = SIM_WAITER_HOLDS;
	c->holds = true;
	c->woke_ns = sim->now + SIM_CLOCK_NS + sim_slowness(sim);
	sim_waiter_comes(sim, cpu);
}

/* Fires the due timers when the CPU wakes up, whatever woke it. */
static void expire_timers(struct sim *sim, struct sim_cpu *c)
{
	if (c->waiter_at_ns != SIM_NEVER && c->waiter_due_ns <= sim->now) {
		c->waiter_at_ns = SIM_NEVER;
		c->arrives_ns[SIM_WAITER_COMES] = c->expired_ns = sim->now;
	}
	if (c == &sim->cpu[sim->tracer_cpu] && sim->tracer_due_ns <= sim->now &&
		sim->tracer_at_ns > sim->now) {
		sim->tracer_at_ns = sim->now;
		sim_call_tracer(sim, c);
	}
}

static uint64_t exit_latency(struct sim *sim, const struct sim_cpu *c)
{
	uint64_t most = sim->options.idle_ns;

	if (sim->now - c->idle_since_ns < SHALLOW_NS)
		return sim_between(sim, SHALLOW_LEAST_NS, SHALLOW_MOST_NS);
	return most ? sim_between(sim, most / 4, most)
		    : sim_between(sim, IDLE_LEAST_NS, IDLE_MOST_NS);
}

/* Is the CPU awake? An idle one with work begins to wake up. */
static bool is_awake(struct sim *sim, struct sim_cpu *c)
{
	if (c->idle && c->exits_ns == SIM_NEVER && (c->queued || sim_cpu_is_called(sim, c)))
		c->exits_ns = sim->now + exit_latency(sim, c);
	if (c->idle && c->exits_ns > sim->now)
		return false;
	if (c->idle && c->queued && sim->options.slow_ns)
		c->leaves_ns = sim->now + sim_slowness(sim);
	/* The CPU's wake-up wakes the queued threads. */
	for (size_t i = 0; c->idle && i < c->queued; i++)
		if (c->queue[i]->fresh)
			c->queue[i]->since_ns = sim->now;
	if (c->idle)
		expire_timers(sim, c);
	if (c->idle && sim->options.idle_ns)
		c->expired_ns = sim->now; /* the timer itself was late */
	c->idle = false;
	c->exits_ns = SIM_NEVER;
	return c->leaves_ns <= sim->now || sim_cpu_is_called(sim, c);
}

void sim_cpu_schedule(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	while (is_awake(sim, c) && !c->current && c->ours == SIM_NOT_OURS) {
		size_t best = 0;

		if (sim_cpu_is_called(sim, c)) {
			sim_cpu_come(sim, cpu,
				c->arrives_ns[SIM_WAITER_COMES] <= sim->now ? SIM_WAITER_COMES
									    : SIM_TRACER_COMES);
			continue;
		}
		if (!c->queued)
			pull(sim, cpu);
		if (!c->queued) {
			c->idle = true;
			c->leaves_ns = 0;
			c->idle_since_ns = sim->now;
			break;
		}
		for (size_t i = 1; i < c->queued; i++)
			if (c->queue[i]->vruntime_ns < c->queue[best]->vruntime_ns)
				best = i;
		put_on_cpu(sim, cpu, unqueue(c, best));
	}
	sim_cpu_refresh(sim, c);
}

void sim_enqueue(struct sim *sim, struct sim_thread *t)
{
	struct sim_cpu *c = &sim->cpu[t->cpu];

	for (unsigned i = 0; i < sim->options.cpus && !is_idle(c); i++)
		if (is_idle(&sim->cpu[i]))
			c = &sim->cpu[i];
	if (c != &sim->cpu[t->cpu])
		move_to(sim, t, (unsigned)(c - sim->cpu));
	if (t->vruntime_ns + CREDIT_NS < c->min_vruntime_ns)
		t->vruntime_ns = c->min_vruntime_ns - CREDIT_NS;
	t->state = SIM_QUEUED;
	t->fresh = true;
	t->since_ns = sim->now;
	c->queue[c->queued++] = t;
	if (c->ours != SIM_NOT_OURS && !sim->options.realtime)
		c->stamp_ns = sim->now;
	if (c->current) {
		sim_cpu_account(sim, c);
		if (c->current->vruntime_ns > t->vruntime_ns + LAG_NS)
			c->slice_end_ns = sim->now;
	}
	sim_cpu_schedule(sim, (unsigned)t->cpu);
}

void sim_cpu_push_away(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *from = &sim->cpu[cpu];

	for (unsigned i = 0; i < sim->options.cpus; i++) {
		struct sim_cpu *to = &sim->cpu[i];
		size_t theirs = to->queued + (to->current != NULL);

		if (i == cpu || theirs + 2 > from->queued + 1)
			continue;
		if (sim->now - from->queue[0]->stamp_ns < HOT_NS)
			return;
		move_to(sim, from->queue[0], i);
		to->queue[to->queued++] = unqueue(from, 0);
		sim_cpu_schedule(sim, i);
		return;
	}
}

/* In the fair class, the thread on the CPU may keep it for a while. */
bool sim_cpu_must_wait(struct sim *sim, struct sim_cpu *c, unsigned who)
{
	struct sim_thread *t = c->current;

	if (!t || sim->options.realtime)
		return false;
	if (c->queued && c->slice_end_ns > sim->now && !plan_random(&sim->random, LATE_ONE_OF)) {
		c->arrives_ns[who] = c->slice_end_ns;
		return true;
	}
	return false;
}
