/* SPDX-License-Identifier: MIT */
/* The machine's events in order: steps and sleeps of threads, requests of the supervisor. */
#include "tests/unit/supervisor/simulator_cpu.h"

#include <string.h>

uint64_t sim_between(struct sim *sim, uint64_t from, uint64_t to)
{
	return from + plan_random(&sim->random, to - from);
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

static void wake(struct sim *sim, struct sim_thread *t)
{
	if (t->phase != SIM_SLEEPING || t->woken || t->step.kind != SIM_WAIT) {
		t->posts++;
		return;
	}
	t->woken = true;
	if (t->state == SIM_BLOCKED)
		sim_enqueue(sim, t);
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
	sim_tell_tracer(sim, t, NULL);
	return t;
}

void sim_start(struct sim *sim, struct sim_thread *t)
{
	sim_enqueue(sim, t);
}

/* Begins the thread's next step that takes time. False: the thread has ended. */
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
			t->left_ns = SIM_FALL_ASLEEP_NS;
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
			sim_cpu_leave(sim, c, SIM_ENDED);
			sim_tell_tracer(sim, t, c);
			return false;
		}
	}
}

/* The last check before a thread sleeps: has what it waits for come already? */
static void fall_asleep(struct sim *sim, struct sim_cpu *c, struct sim_thread *t)
{
	uint64_t until = t->step.kind == SIM_SLEEP ? sim->now + t->step.ns : t->step.ns;

	if (t->step.kind == SIM_WAIT ? t->posts > 0 : until <= sim->now) {
		t->posts -= t->step.kind == SIM_WAIT;
		t->phase = SIM_WAKING;
		t->left_ns = SIM_WAKE_UP_NS;
		return;
	}
	t->phase = SIM_SLEEPING;
	sim_cpu_leave(sim, c, SIM_BLOCKED);
	if (t->step.kind != SIM_WAIT)
		timer_set(sim, t, until);
}

static void end_step(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];
	struct sim_thread *t = c->current;
	bool was_call = t->phase != SIM_BODY || t->step.kind != SIM_RUN;

	if (!t->left_ns) {
		if (t->phase == SIM_FALLING_ASLEEP)
			fall_asleep(sim, c, t);
		else if (t->interrupt)
			sim_cpu_stop(sim, c);
		else if (was_call && sim_cpu_is_called(sim, c))
			sim_cpu_requeue(
				/* the supervisor waited for the call's end */
				sim, c);
		else
			(void)next_step(sim, c, t);
	}
	if (c->current && c->queued && c->slice_end_ns <= sim->now && !sim_is_atomic(c->current))
		sim_cpu_requeue(sim, c);
	sim_cpu_schedule(sim, cpu);
}

static void cpu_event(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	sim->result->events++;
	sim_cpu_account(sim, c);
	if (c->waiter_at_ns <= sim->now) {
		c->waiter_at_ns = SIM_NEVER;
		c->arrives_ns[SIM_WAITER_COMES] = c->expired_ns = sim->now;
		sim_cpu_schedule(sim, cpu);
	} else if (c->idle || (c->leaves_ns && c->leaves_ns <= sim->now)) {
		sim_cpu_schedule(sim, cpu);
	} else if (c->holds && c->holds_until_ns <= sim->now) {
		if (!sim_waiter_stays(sim, cpu))
			sim_waiter_release(sim, cpu);
	} else if (c->current && c->event_ns <= sim->now) {
		bool expired = c->current->left_ns != 0;

		end_step(sim, cpu);
		if (expired && c->queued)
			sim_cpu_push_away(sim, cpu);
	} else if (c->ours == SIM_NOT_OURS && sim_cpu_is_called(sim, c)) {
		unsigned who = c->arrives_ns[SIM_WAITER_COMES] <= sim->now ? SIM_WAITER_COMES
									   : SIM_TRACER_COMES;

		if (!sim_cpu_must_wait(sim, c, who))
			sim_cpu_come(sim, cpu, who);
		sim_cpu_schedule(sim, cpu);
	}
	sim_cpu_refresh(sim, c);
}

static void timer_event(struct sim *sim)
{
	struct sim_thread *t = timer_pop(sim);

	t->woken = true;
	if (t->state == SIM_BLOCKED)
		sim_enqueue(sim, t);
}

/* Lets the next event up to @limit_ns happen. False: none. */
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

/* Lets time pass until the tracing thread has its CPU, and no waiter has a turn. */
static void tracer_comes(struct sim *sim)
{
	while (!sim->tracer_runs || sim->turn >= 0) {
		if (sim->turn >= 0) {
			sim_waiter_asks(sim);
			continue;
		}
		if (!sim->tracer_called && sim->now >= sim->tracer_at_ns) {
			sim_call_tracer(sim, &sim->cpu[sim->tracer_cpu]);
			sim_cpu_schedule(sim, sim->tracer_cpu);
		}
		if (!sim->tracer_runs)
			(void)happen(sim, sim->tracer_called ? SIM_NEVER : sim->tracer_at_ns);
	}
	sim->tracer_called = false;
	sim_tracer_work(sim, SIM_CLOCK_NS + sim_slowness(sim));
}

bool sim_tracer_sleep(struct sim *sim, uint64_t until_ns)
{
	unsigned cpu = sim->tracer_cpu;

	if (sim->reports || until_ns <= sim->now)
		return false;
	sim->cpu[cpu].ours = SIM_NOT_OURS;
	sim->tracer_runs = false;
	sim->tracer_due_ns = until_ns;
	sim->tracer_at_ns = until_ns;
	sim_next_turn(sim);
	sim_cpu_schedule(sim, cpu);
	tracer_comes(sim);
	return true;
}

void sim_tracer_move(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *from = &sim->cpu[sim->tracer_cpu];

	from->arrives_ns[SIM_TRACER_COMES] = SIM_NEVER;
	if (sim->tracer_runs)
		from->ours = SIM_NOT_OURS;
	sim->tracer_runs = false;
	sim->tracer_called = true;
	sim->tracer_cpu = cpu;
	sim_cpu_schedule(sim, (unsigned)(from - sim->cpu));
}

void sim_waiter_release(struct sim *sim, unsigned cpu)
{
	struct sim_cpu *c = &sim->cpu[cpu];

	sim_cpu_account(sim, c);
	c->holds = c->claims = false;
	c->ours = SIM_NOT_OURS;
	c->arrives_ns[SIM_WAITER_COMES] = SIM_NEVER;
	sim_waiter_goes(sim, cpu);
	sim_cpu_schedule(sim, cpu);
	sim_cpu_refresh(sim, c);
}

void sim_interrupt(struct sim *sim, struct sim_thread *t)
{
	struct sim_cpu *c = &sim->cpu[t->cpu];

	t->interrupt = true;
	if (t->state == SIM_BLOCKED) {
		sim_enqueue(sim, t);
	} else if (t->state == SIM_ON_CPU && t->phase == SIM_BODY && t->step.kind == SIM_RUN) {
		sim_cpu_account(sim, c);
		sim_cpu_stop(sim, c);
		sim_cpu_schedule(sim, (unsigned)t->cpu);
	}
}

void sim_resume(struct sim *sim, struct sim_thread *t)
{
	t->interrupt = false;
	if (t->phase == SIM_SLEEPING && !t->woken)
		t->state = SIM_BLOCKED;
	else
		sim_enqueue(sim, t);
}
