/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/session_ticks.h"

#include <errno.h>

#include "base/clock.h"
#include "supervisor/calls/counter.h"
#include "supervisor/target/target.h"
#include "supervisor/target/tracee_memory.h"

/* A stop is requested again after this time if kept ticks have still not been written. */
#define WRITE_AGAIN_NS 100000000

void session_turn_off(struct session *s, enum call_reason reason)
{
	s->off = true;
	s->untidy = true;
	s->reason = reason;
}

/* Adds ticks to one counter. False: the process is inaccessible; keep the ticks. */
static bool add(struct sessions *sessions, struct tracee *t, struct session *s,
	const struct region_hit *hit, uint64_t ticks)
{
	const struct region_policy *policy = s->table->policy;
	struct session_figures *figures = &sessions->figures;
	size_t cursor = 0;
	pid_t tid = tracee_memory_next_tid(sessions->target, t, &cursor);
	const struct remote remote = tracee_memory_of(t->process, tid);
	struct counter_result result;
	int r = counter_add(
		&remote, hit->address, s->table->element, ticks, policy->overflow, &result);

	if (r < 0) {
		/* The process has changed its user, or is no longer dumpable. */
		if (r == -EPERM)
			session_turn_off(s, CALL_HIDDEN);
		sessions->untidy |= s->untidy;
		return false;
	}
	if (result.stop)
		session_turn_off(s, CALL_FULL);
	if (!result.faulted) {
		figures->counted += ticks;
		s->tally.counted += ticks - result.full;
		s->tally.full += result.full;
		sessions->untidy |= s->untidy;
		return true;
	}
	figures->faults++;
	figures->dropped += ticks;
	s->tally.faulted += ticks;
	s->untidy = true;
	sessions->untidy = true;
	if (policy->fault_stops_all)
		session_turn_off(s, CALL_FAULT);
	else
		s->dead[hit->region / 8] |= (uint8_t)(1 << hit->region % 8);
	return true;
}

/*
 * Keeps ticks until a thread of the process stops. Without room for another address, the last
 * address gets them; in a table of elapsed time they are lost.
 */
static void leave(struct sessions *sessions, struct session *s, uint64_t pc, uint64_t ticks)
{
	unsigned i = 0;

	if (!s->left_n && !session_is_elapsed(s)) {
		s->write_at_ns = clock_now() + s->table->period_ns;
		if (!sessions->write_at_ns || s->write_at_ns < sessions->write_at_ns)
			sessions->write_at_ns = s->write_at_ns;
	}
	while (i < s->left_n && s->left[i].pc != pc)
		i++;
	if (i == s->left_room && session_is_elapsed(s)) {
		s->tally.lost += ticks;
		sessions->figures.lost += ticks;
		return;
	}
	if (i == s->left_room)
		i--;
	else if (i == s->left_n)
		s->left[s->left_n++] = (struct session_left){.pc = pc};
	s->left[i].ticks += ticks;
}

/* Adds ticks at @pc to its counter, or to @outside. False: the ticks must be kept. */
static bool count_at(
	struct sessions *sessions, struct tracee *t, struct session *s, uint64_t pc, uint64_t ticks)
{
	struct region_hit hit;

	if (region_look_up(s->table, s->dead, pc, &hit))
		return add(sessions, t, s, &hit, ticks);
	sessions->figures.dropped += ticks;
	s->tally.outside += ticks;
	return true;
}

static void count_left(struct sessions *sessions, struct tracee *t, struct session *s)
{
	while (s->left_n && !s->off) {
		const struct session_left *left = &s->left[s->left_n - 1];

		if (!count_at(sessions, t, s, left->pc, left->ticks))
			return;
		s->left_n--;
	}
}

/*
 * Adds the weight of a hit to what earlier hits have left, and takes out the whole ticks. Their
 * number is mostly 1. It is higher if the gap before the instant was longer than the period.
 */
static uint64_t ticks_of(struct session *s, uint64_t weight_ns)
{
	uint64_t ticks;

	s->rest_ns += weight_ns;
	ticks = s->rest_ns / s->table->period_ns;
	s->rest_ns -= ticks * s->table->period_ns;
	return ticks;
}

static bool takes(const struct session *s, unsigned stream)
{
	return s && !s->off && s->stream == stream;
}

/* True if @in_call and the table excludes system calls: then counts the ticks as dropped. */
static bool passes_over(struct sessions *sessions, struct session *s, bool in_call, uint64_t ticks)
{
	if (!in_call || !(s->table->flags & CALL_USER))
		return false;
	sessions->figures.dropped += ticks;
	s->tally.outside += ticks;
	return true;
}

static void tick(struct sessions *sessions, struct tracee *t, struct session *s,
	struct elapsed *elapsed, uint64_t pc, bool in_call, uint64_t weight_ns)
{
	uint64_t ticks;

	count_left(sessions, t, s);
	ticks = ticks_of(s, weight_ns);
	if (elapsed->serial == s->serial)
		ticks += elapsed_take_queue(elapsed, s->table->period_ns);
	if (ticks && !s->off && !passes_over(sessions, s, in_call, ticks) &&
		!count_at(sessions, t, s, pc, ticks))
		leave(sessions, s, pc, ticks);
}

void session_tick(struct sessions *sessions, struct tracee *t, unsigned stream, uint64_t pc,
	bool in_call, uint64_t weight_ns)
{
	if (t->process && takes(t->process->session, stream)) {
		t->process->session->weighed_ns += weight_ns;
		tick(sessions, t, t->process->session, &t->elapsed[0], pc, in_call, weight_ns);
	}
	if (takes(t->session, stream))
		tick(sessions, t, t->session, &t->elapsed[1], pc, in_call, weight_ns);
}

static void tick_asleep(
	struct sessions *sessions, struct session *s, uint64_t pc, uint64_t weight_ns)
{
	uint64_t ticks = ticks_of(s, weight_ns);

	if (ticks && !passes_over(sessions, s, true, ticks))
		leave(sessions, s, pc, ticks);
}

void session_tick_asleep(struct sessions *sessions, struct tracee *t, unsigned stream, uint64_t pc,
	uint64_t weight_ns)
{
	if (t->process && takes(t->process->session, stream)) {
		t->process->session->weighed_ns += weight_ns;
		tick_asleep(sessions, t->process->session, pc, weight_ns);
	}
	if (takes(t->session, stream))
		tick_asleep(sessions, t->session, pc, weight_ns);
}

static void lose(struct sessions *sessions, struct session *s, uint64_t weight_ns)
{
	uint64_t ticks = ticks_of(s, weight_ns);

	s->tally.lost += ticks;
	sessions->figures.lost += ticks;
}

void session_tick_lost(
	struct sessions *sessions, struct tracee *t, unsigned stream, uint64_t weight_ns)
{
	if (t->process && takes(t->process->session, stream)) {
		t->process->session->weighed_ns += weight_ns;
		lose(sessions, t->process->session, weight_ns);
	}
	if (takes(t->session, stream))
		lose(sessions, t->session, weight_ns);
}

static void elapse(struct sessions *sessions, struct session *s, struct elapsed *elapsed,
	const struct cpu_time *cpu, uint64_t now, const uint64_t *pc)
{
	uint64_t ticks;

	if (!s || s->off || !session_is_elapsed(s))
		return;
	if (elapsed->serial != s->serial) {
		elapsed_begin(elapsed, s->serial, cpu, now);
	} else if (!pc) {
		elapsed_see(elapsed, cpu);
	} else {
		ticks = elapsed_take(elapsed, cpu, now, s->table->period_ns);
		if (ticks && !passes_over(sessions, s, true, ticks))
			leave(sessions, s, *pc, ticks);
	}
}

void session_elapse(struct sessions *sessions, struct tracee *t, const struct cpu_time *cpu,
	uint64_t now, const uint64_t *pc)
{
	if (t->process)
		elapse(sessions, t->process->session, &t->elapsed[0], cpu, now, pc);
	elapse(sessions, t->session, &t->elapsed[1], cpu, now, pc);
}

static uint64_t elapsed_period_ns(const struct session *s)
{
	return s && !s->off && session_is_elapsed(s) ? s->table->period_ns : 0;
}

uint64_t session_elapsed_period_ns(const struct tracee *t)
{
	uint64_t all = t->process ? elapsed_period_ns(t->process->session) : 0,
		 own = elapsed_period_ns(t->session);

	return !all || (own && own < all) ? own : all;
}

void session_ask_stop(struct sessions *sessions, struct tracee *t)
{
	if ((t->process && t->process->session && t->process->session->left_n) ||
		(t->session && t->session->left_n))
		(void)sessions->interrupt(sessions->context, t);
}

/*
 * Requests a stop of one thread of @process. sessions->interrupt() refuses a thread whose system
 * call is being restarted, as a stop would disturb the call again: this may last a minute
 * (restart.h).
 */
static void interrupt_any(struct sessions *sessions, const struct process *process)
{
	const struct target *target = sessions->target;

	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (t->process == process && t->state == TRACEE_RUNNING &&
			sessions->interrupt(sessions->context, t))
			return;
	}
}

/* Is it time to request a stop, in which the kept ticks of @s are written? */
static bool write_is_due(struct sessions *sessions, struct session *s, uint64_t now)
{
	bool due;

	if (!s || !s->left_n || s->off || session_is_elapsed(s))
		return false;
	due = now >= s->write_at_ns;
	if (due)
		s->write_at_ns = now + WRITE_AGAIN_NS;
	if (!sessions->write_at_ns || s->write_at_ns < sessions->write_at_ns)
		sessions->write_at_ns = s->write_at_ns;
	return due;
}

void session_poll(struct sessions *sessions, uint64_t now)
{
	struct target *target = sessions->target;

	if (!sessions->write_at_ns || now < sessions->write_at_ns)
		return;
	sessions->write_at_ns = 0;
	for (size_t i = 0; i < target->processes; i++)
		if (write_is_due(sessions, target->process[i]->session, now))
			interrupt_any(sessions, target->process[i]);
	for (size_t i = 0; sessions->threads && i < target->tracees; i++)
		if (write_is_due(sessions, target->tracee[i]->session, now))
			(void)sessions->interrupt(sessions->context, target->tracee[i]);
}

void session_catch_up(struct sessions *sessions, struct tracee *t)
{
	if (t->process && t->process->session)
		count_left(sessions, t, t->process->session);
	if (t->session)
		count_left(sessions, t, t->session);
}
