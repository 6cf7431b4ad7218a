/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/session_ticks.h"
#include "supervisor/engine/elapse.h"

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

/* The interval between two observations of a thread is its table's tick, within these bounds. */
#define LEAST_NS 1000000
#define MOST_NS  10000000
/*
 * An elapse_tick() makes at least one observation. It ends when it has used CPU time of 1/SHARE of
 * the pause until the next elapse_tick().
 */
#define SHARE 8

static void elapse_thread(struct engine *engine, struct tracee *t)
{
	struct activity activity;
	struct cpu_time cpu;
	int r;

	if (!t->process || (t->state != TRACEE_RUNNING && t->state != TRACEE_LISTENING) ||
		procfiles_read_runs(&engine->files, t, &cpu) < 0)
		return;
	r = blocked_scan_read_activity(engine, t, &activity);
	/* A thread that has ended but is not reaped yet shows address 0. */
	if (r < 0 || (r == 0 && !activity.running && !activity.pc))
		return;
	/*
	 * A thread that is in no system call and no group-stop, but is off CPU, waits for a CPU or
	 * a page: it counts as running, as it would go on by itself.
	 */
	if (r == 0 && activity.syscall < 0 && t->state != TRACEE_LISTENING)
		activity.running = true;
	session_elapse(
		&engine->sessions, t, &cpu, clock_now(), activity.running ? NULL : &activity.pc);
}

static uint64_t pause_after(uint64_t period_ns)
{
	if (period_ns < LEAST_NS)
		return LEAST_NS;
	return period_ns < MOST_NS ? period_ns : MOST_NS;
}

void elapse_tick(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	struct elapser *e = &engine->elapser;
	uint64_t began, pause = MOST_NS;

	if (!engine->sessions.elapsed || now < e->next_ns)
		return;
	began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t;
		uint64_t period;

		if (e->cursor >= target->tracees)
			e->cursor = 0;
		t = target->tracee[e->cursor++];
		period = session_elapsed_period_ns(t);
		if (!period)
			continue;
		if (pause_after(period) < pause)
			pause = pause_after(period);
		elapse_thread(engine, t);
		if (clock_read(CLOCK_THREAD_CPUTIME_ID) - began > pause / SHARE)
			break;
	}
	e->next_ns = now + pause;
}

uint64_t elapse_next(const struct engine *engine)
{
	return engine->sessions.elapsed ? engine->elapser.next_ns : 0;
}
