/* SPDX-License-Identifier: MIT */
/* The machine: threads, CPUs, and a scheduler after the kernel's fair class. */
#include "tests/unit/simulator.h"

#include <string.h>

/* The way to sleep and from it, with interrupts off or without preemption. */
#define FALL_ASLEEP_NS 1500
#define WAKE_UP_NS     1000
/* What another CPU or an eventfd needs to reach the tracing thread's. */
#define CALL_LEAST_NS 1000
#define CALL_MOST_NS  2500
/* An idle CPU needs this to do anything, timers included; less while its sleep is not deep. */
#define SHALLOW_NS       100000
#define SHALLOW_LEAST_NS 500
#define SHALLOW_MOST_NS  1500
#define IDLE_LEAST_NS    3000
#define IDLE_MOST_NS     30000
/* A fair thread's slice, ended by a tick; what a woken one must lag behind to preempt at once. */
#define SLICE_NS  2800000
#define TICK_NS   4000000
#define LAG_NS    1000000
#define CREDIT_NS 1400000
/* One that ran within this long is not taken to another CPU. */
#define HOT_NS 500000
/* For so long a waiter holds its CPU. */
#define HOLD_NS 500000
/* Awake, ours reads the clock so much later. */
#define CLOCK_NS 1500
/* Ours, in the fair class: beside threads that wait one wake-up of so many comes late. */
#define LATE_ONE_OF 6

enum { WAITER, TRACER };

uint64_t sim_between(struct sim *sim, uint64_t from, uint64_t to)
{
	return from + plan_random(&sim->random, to - from);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_idle(const struct sim_cpu *c)
{
	return !c->current && !c->queued && c->ours == SIM_NOT_OURS;
}

static bool is_called(const struct sim *sim, const struct sim_cpu *c)
{
	return earlier(c->arrives_ns[WAITER], c->arrives_ns[TRACER]) <= sim->now;
}

static bool is_atomic(const struct sim_thread *t)
{
	return t->phase != SIM_BODY || t->step.kind == SIM_ATOMIC;
}

/* When something happens here next. What cannot be interrupted is not interrupted by us. */
static void refresh(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->current;
	uint64_t next = c->waiter_at_ns;

	if (t) {
		c->event_ns = c->accounted_ns + t->left_ns;
		if (c->queued && !is_atomic(t) && c->slice_end_ns < c->event_ns)
			c->event_ns = c->slice_end_ns > sim->now ? c->slice_end_ns : sim->now;
		next = earlier(next, c->event_ns);
	}
	if (c->idle && c->exits_ns != SIM_NEVER)
		next = earlier(next, c->exits_ns);
	else if (c->ours == SIM_NOT_OURS && !(t && is_atomic(t)))
		next = earlier(next, earlier(c->arrives_ns[WAITER], c->arrives_ns[TRACER]));
	if (c->holds)
		next = earlier(next, c->woke_ns + HOLD_NS);
	c->next_ns = next;
}

static void account(struct sim *sim, struct sim_cpu *c)
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
		account(sim, &sim->cpu[i]);
}

/* A heap of wake-up times. */

static void timer_put(struct sim *sim, size_t i, struct sim_thread *t)
{
	sim->timer[i] = t;
	t->timer = i + 1;
}

static void timer_sift(struct sim *sim, size_t i, struct sim_thread *t)
{
	size_t child;

	while (i && sim->timer[(i - 1) / 2]->wake_at_ns > t->wake_at_ns) {
		timer_put(sim, i, sim->timer[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	while ((child = 2 * i + 1) < sim->timers) {
		if (child + 1 < sim->timers &&
			sim->timer[child + 1]->wake_at_ns < sim->timer[child]->wake_at_ns)
			child++;
		if (sim->timer[child]->wake_at_ns >= t->wake_at_ns)
			break;
		timer_put(sim, i, sim->timer[child]);
		i = child;
	}
	timer_put(sim, i, t);
}

static void timer_set(struct sim *sim, struct sim_thread *t, uint64_t at_ns)
{
	t->wake_at_ns = at_ns;
	timer_sift(sim, sim->timers++, t);
}

static struct sim_thread *timer_pop(struct sim *sim)
{
	struct sim_thread *t = sim->timer[0], *last = sim->timer[--sim->timers];

	t->timer = 0;
	if (last != t)
		timer_sift(sim, 0, last);
	return t;
}

static void leave_cpu(struct sim *sim, struct sim_cpu *c, enum sim_state state)
{
	struct sim_thread *t = c->current;

	t->state = state;
	t->stamp_ns = sim->now;
	c->left = t;
	c->current = NULL;
}

/* The tracing thread is woken up, from its own CPU or from another one. */
static void call_tracer(struct sim *sim, const struct sim_cpu *from)
{
	struct sim_cpu *c = &sim->cpu[sim->sampler.host];

	if (sim->tracer_runs || sim->tracer_called)
		return;
	sim->tracer_called = true;
	c->arrives_ns[TRACER] = sim->now;
	if (c != from)
		c->arrives_ns[TRACER] += sim_between(sim, CALL_LEAST_NS, CALL_MOST_NS);
	if (c != from)
		refresh(sim, c);
}

static void tell_tracer(struct sim *sim, struct sim_thread *t, const struct sim_cpu *from)
{
	if (!t->reported)
		sim->report[sim->reports++] = t;
	t->reported = true;
	call_tracer(sim, from);
}

static void stop_thread(struct sim *sim, struct sim_cpu *c)
{
	tell_tracer(sim, c->current, c);
	leave_cpu(sim, c, SIM_STOPPED);
}

/* A preempted thread goes back to the queue. */
static void requeue(struct sim *sim, struct sim_cpu *c)
{
	struct sim_thread *t = c->current;

	leave_cpu(sim, c, SIM_QUEUED);
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

/* From the longest queue one that is not hot, for a CPU that has nothing to do. */
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
		refresh(sim, from);
		return;
	}
}

static void put_on_cpu(struct sim *sim, unsigned cpu, struct sim_thread *t)
{
	struct sim_cpu *c = &sim->cpu[cpu];
	uint64_t tick = (sim->now + SLICE_NS + TICK_NS - 1 + cpu * 1000000) / TICK_NS * TICK_NS;

	if (t->vruntime_ns > c->min_vruntime_ns)
		c->min_vruntime_ns = t->vruntime_ns;
	t->state = SIM_ON_CPU;
	t->wait_ns += sim->now - t->since_ns;
	t->slices++;
	t->since_ns = t->stamp_ns = c->accounted_ns = sim->now;
	c->current = t;
	c->slice_end_ns = tick - cpu * 1000000;
	if (t->phase == SIM_SLEEPING && !t->interrupt) {
		t->phase = SIM_WAKING;
		t->left_ns = WAKE_UP_NS;
	}
	/* In the program's code, or at the end of a call. */
	if (t->interrupt &&
		(!t->left_ns || t->phase == SIM_SLEEPING ||
			(t->phase == SIM_BODY && t->step.kind == SIM_RUN)))
		stop_thread(sim, c);
}

static void come(struct sim *sim, unsigned cpu, unsigned who)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	if (c->current)
		requeue(sim, c);
	c->replaced = c->left && c->left->stamp_ns == sim->now ? c->left : NULL;
	c->arrives_ns[who] = SIM_NEVER;
	c->stamp_ns = sim->now;
	if (who == TRACER) {
		c->ours = SIM_TRACER;
		sim->tracer_runs = true;
		return;
	}
	c->ours = SIM_WAITER_HOLDS;
	c->holds = true;
	c->woke_ns = sim->now + CLOCK_NS;
	sim->bell = true;
	call_tracer(sim, c);
}

/* An idle CPU begins to wake up, or has done so. */
static bool is_awake(struct sim *sim, struct sim_cpu *c)
{
	if (c->idle && c->exits_ns == SIM_NEVER && (c->queued || is_called(sim, c)))
		c->exits_ns = sim->now +
			(sim->now - c->idle_since_ns < SHALLOW_NS
					? sim_between(sim, SHALLOW_LEAST_NS, SHALLOW_MOST_NS)
					: sim_between(sim, IDLE_LEAST_NS, IDLE_MOST_NS));
	if (c->idle && c->exits_ns > sim->now)
		return false;
	c->idle = false;
	c->exits_ns = SIM_NEVER;
	return true;
}

/* The CPU takes up what is to be done. */
static void schedule(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	while (is_awake(sim, c) && !c->current && c->ours == SIM_NOT_OURS) {
		size_t best = 0;

		if (is_called(sim, c)) {
			come(sim, cpu, c->arrives_ns[WAITER] <= sim->now ? WAITER : TRACER);
			break;
		}
		if (!c->queued)
			pull(sim, cpu);
		if (!c->queued) {
			c->idle = true;
			c->idle_since_ns = sim->now;
			break;
		}
		for (size_t i = 1; i < c->queued; i++)
			if (c->queue[i]->vruntime_ns < c->queue[best]->vruntime_ns)
				best = i;
		put_on_cpu(sim, cpu, unqueue(c, best));
	}
	refresh(sim, c);
}

/* @t has become runnable. */
static void enqueue(struct sim *sim, struct sim_thread *t)
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
	t->since_ns = sim->now;
	c->queue[c->queued++] = t;
	if (c->ours != SIM_NOT_OURS && !sim->options.realtime)
		c->stamp_ns = sim->now;
	if (c->current) {
		account(sim, c);
		if (c->current->vruntime_ns > t->vruntime_ns + LAG_NS)
			c->slice_end_ns = sim->now;
	}
	schedule(sim, (unsigned)t->cpu);
}

static void wake(struct sim *sim, struct sim_thread *t)
{
	if (t->phase != SIM_SLEEPING || t->woken || t->step.kind != SIM_WAIT) {
		t->posts++;
		return;
	}
	t->woken = true;
	if (t->state == SIM_BLOCKED)
		enqueue(sim, t);
}

struct sim_thread *sim_new_thread(struct sim *sim, sim_program *program)
{
	struct sim_thread *t = NULL;

	for (size_t i = 0; i < SIM_THREADS && !t; i++)
		if (sim->thread[i].state == SIM_UNUSED)
			t = &sim->thread[i];
	if (!t)
		return NULL;
	*t = (struct sim_thread){.program = program, .state = SIM_BORN, .phase = SIM_BODY};
	t->id = (unsigned)(t - sim->thread);
	t->cpu = (int)(t->id % sim->options.cpus);
	t->vruntime_ns = sim->cpu[t->cpu].min_vruntime_ns;
	t->step.kind = SIM_RUN;
	if (t->id >= sim->threads)
		sim->threads = t->id + 1;
	tell_tracer(sim, t, NULL);
	return t;
}

void sim_start(struct sim *sim, struct sim_thread *t)
{
	enqueue(sim, t);
}

/* The next thing that takes time. False: it has ended. */
static bool next_step(struct sim *sim, struct sim_cpu *c, struct sim_thread *t)
{
	struct sim_thread *child;

	for (;;) {
		t->program(sim, t, &t->step);
		t->phase = SIM_BODY;
		t->left_ns = t->step.ns;
		switch (t->step.kind) {
		case SIM_RUN:
		case SIM_CALL:
		case SIM_ATOMIC:
			if (t->left_ns)
				return true;
			break;
		case SIM_SLEEP:
		case SIM_SLEEP_UNTIL:
		case SIM_WAIT:
			t->phase = SIM_FALLING_ASLEEP;
			t->left_ns = FALL_ASLEEP_NS;
			t->woken = false;
			return true;
		case SIM_WAKE: wake(sim, t->step.other); break;
		case SIM_SPAWN:
			child = sim_new_thread(sim, t->step.program);
			if (child) {
				memcpy(child->number, t->number, sizeof(child->number));
				memcpy(child->peer, t->peer, sizeof(child->peer));
			}
			break;
		case SIM_EXIT:
			leave_cpu(sim, c, SIM_ENDED);
			tell_tracer(sim, t, c);
			return false;
		}
	}
}

/* On the way to sleep the last thing is to see whether it is to sleep at all. */
static void fall_asleep(struct sim *sim, struct sim_cpu *c, struct sim_thread *t)
{
	uint64_t until = t->step.kind == SIM_SLEEP ? sim->now + t->step.ns : t->step.ns;

	if (t->step.kind == SIM_WAIT ? t->posts > 0 : until <= sim->now) {
		t->posts -= t->step.kind == SIM_WAIT;
		t->phase = SIM_WAKING;
		t->left_ns = WAKE_UP_NS;
		return;
	}
	t->phase = SIM_SLEEPING;
	leave_cpu(sim, c, SIM_BLOCKED);
	if (t->step.kind != SIM_WAIT)
		timer_set(sim, t, until);
}

/* The current thread's step or slice has ended. */
static void end_step(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];
	struct sim_thread *t = c->current;
	bool was_call = t->phase != SIM_BODY || t->step.kind != SIM_RUN;

	if (!t->left_ns) {
		if (t->phase == SIM_FALLING_ASLEEP)
			fall_asleep(sim, c, t);
		else if (t->interrupt)
			stop_thread(sim, c);
		else if (was_call && is_called(sim, c))
			requeue(sim, c); /* we waited for the end of the call: there it is */
		else
			(void)next_step(sim, c, t);
	}
	if (c->current && c->queued && c->slice_end_ns <= sim->now && !is_atomic(c->current))
		requeue(sim, c);
	schedule(sim, cpu);
}

/* To a CPU with less to do, as the balancer does now and then. */
static void push_away(struct sim *sim, unsigned cpu)
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
		schedule(sim, i);
		return;
	}
}

/* In the fair class who is on the CPU may keep it for a while. */
static bool must_wait(struct sim *sim, struct sim_cpu *c, unsigned who)
{
	struct sim_thread *t = c->current;

	if (!t || sim->options.realtime)
		return false;
	if (t->since_ns + sim->options.protect_ns > sim->now) {
		c->arrives_ns[who] = t->since_ns + sim->options.protect_ns;
		return true;
	}
	if (c->queued && c->slice_end_ns > sim->now && !plan_random(&sim->random, LATE_ONE_OF)) {
		c->arrives_ns[who] = c->slice_end_ns;
		return true;
	}
	return false;
}

static void release(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	c->holds = false;
	c->used_ns += sim->now - c->woke_ns + CLOCK_NS;
	c->ours = SIM_NOT_OURS;
}

static void cpu_event(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	sim->result->events++;
	account(sim, c);
	if (c->waiter_at_ns <= sim->now) {
		c->order_ns = c->waiter_at_ns;
		c->waiter_at_ns = SIM_NEVER;
		c->arrives_ns[WAITER] = sim->now;
		schedule(sim, cpu);
	} else if (c->idle) {
		schedule(sim, cpu);
	} else if (c->holds && c->woke_ns + HOLD_NS <= sim->now) {
		release(sim, cpu);
		c->gave_up = true;
		schedule(sim, cpu);
	} else if (c->current && c->event_ns <= sim->now) {
		bool expired = c->current->left_ns != 0;

		end_step(sim, cpu);
		if (expired && c->queued)
			push_away(sim, cpu);
	} else {
		unsigned who = c->arrives_ns[WAITER] <= sim->now ? WAITER : TRACER;

		if (!must_wait(sim, c, who))
			come(sim, cpu, who);
	}
	refresh(sim, c);
}

static void timer_event(struct sim *sim)
{
	struct sim_thread *t = timer_pop(sim);

	t->woken = true;
	if (t->state == SIM_BLOCKED)
		enqueue(sim, t);
}

/* The next event up to @limit_ns happens. False: there is none. */
static bool happen(struct sim *sim, uint64_t limit_ns)
{
	uint64_t next = sim->timers ? sim->timer[0]->wake_at_ns : SIM_NEVER;
	unsigned cpu = SIM_CPUS;

	for (unsigned i = 0; i < sim->options.cpus; i++) {
		if (sim->cpu[i].next_ns < next) {
			next = sim->cpu[i].next_ns;
			cpu = i;
		}
	}
	if (next > limit_ns) {
		if (limit_ns > sim->now)
			sim->now = limit_ns;
		return false;
	}
	if (next > sim->now)
		sim->now = next;
	if (cpu < SIM_CPUS)
		cpu_event(sim, cpu);
	else
		timer_event(sim);
	return true;
}

void sim_pass(struct sim *sim, uint64_t until_ns)
{
	while (happen(sim, until_ns))
		continue;
}

void sim_tracer_work(struct sim *sim, uint64_t ns)
{
	sim_pass(sim, sim->now + ns);
}

/* Until it has the CPU where it is to be. */
static void tracer_comes(struct sim *sim, uint64_t until_ns)
{
	while (!sim->tracer_runs) {
		if (!sim->tracer_called && sim->now >= until_ns) {
			call_tracer(sim, &sim->cpu[sim->sampler.host]);
			schedule(sim, sim->sampler.host);
		}
		(void)happen(sim, sim->tracer_called ? SIM_NEVER : until_ns);
	}
	sim->tracer_called = false;
	sim_tracer_work(sim, CLOCK_NS);
}

bool sim_tracer_sleep(struct sim *sim, uint64_t until_ns)
{
	unsigned host = sim->sampler.host;

	if (sim->bell || sim->reports || until_ns <= sim->now)
		return false;
	sim->cpu[host].ours = SIM_NOT_OURS;
	sim->tracer_runs = false;
	schedule(sim, host);
	tracer_comes(sim, until_ns);
	return true;
}

void sim_tracer_move(struct sim *sim, unsigned from)
{
	sim->cpu[from].ours = SIM_NOT_OURS;
	sim->tracer_runs = false;
	schedule(sim, from);
	tracer_comes(sim, sim->now);
}

void sim_waiter_set(struct sim *sim, unsigned cpu, uint64_t at_ns)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	c->gave_up = false;
	c->arrives_ns[WAITER] = SIM_NEVER;
	c->waiter_at_ns = at_ns;
	if (c->holds) {
		account(sim, c);
		release(sim, cpu);
		/* It does not even fall asleep. */
		if (at_ns <= sim->now) {
			c->order_ns = at_ns;
			c->waiter_at_ns = SIM_NEVER;
			c->ours = SIM_WAITER_HOLDS;
			c->holds = sim->bell = true;
			c->woke_ns = sim->now + CLOCK_NS;
		}
		schedule(sim, cpu);
	}
	refresh(sim, c);
}

void sim_interrupt(struct sim *sim, struct sim_thread *t)
{
	struct sim_cpu *c = &sim->cpu[t->cpu];

	t->interrupt = true;
	if (t->state == SIM_BLOCKED) {
		enqueue(sim, t);
	} else if (t->state == SIM_ON_CPU && t->phase == SIM_BODY && t->step.kind == SIM_RUN) {
		account(sim, c);
		stop_thread(sim, c);
		schedule(sim, (unsigned)t->cpu);
	}
}

void sim_resume(struct sim *sim, struct sim_thread *t)
{
	t->interrupt = false;
	if (t->phase == SIM_SLEEPING && !t->woken)
		t->state = SIM_BLOCKED;
	else
		enqueue(sim, t);
}
