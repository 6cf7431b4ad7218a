/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/calls/counter.h"
#include "supervisor/engine/engine_internal.h"
#include "supervisor/os/mem.h"

static void free_session(struct session *s)
{
	if (!s)
		return;
	region_table_unref(s->table);
	free(s->dead);
	free(s);
}

static struct session *new_session(struct region_table *table)
{
	struct session *s = mem_new(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dead = mem_new(table->count / 8 + 1, 1);
	if (!s->dead) {
		free(s);
		return NULL;
	}
	s->table = table;
	return s;
}

static void replace(struct engine *engine, struct process *process, struct session *s)
{
	if (process->session)
		engine->service.sessions--;
	if (s)
		engine->service.sessions++;
	free_session(process->session);
	process->session = s;
	if (!engine->service.sessions)
		engine->service.idle_since_ns = engine_now();
	sampling_set_periods(engine);
}

/* The stream of tables with this period, or a free one; with none left the last, as the next best.
 */
static unsigned stream_for(const struct engine *engine, uint64_t period_ns)
{
	unsigned i = 1;

	while (i < PLAN_STREAMS - 1 && session_period_ns(engine, i) &&
		session_period_ns(engine, i) != period_ns)
		i++;
	return i;
}

int session_set(struct engine *engine, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count)
{
	struct region_table *table;
	struct session *s;
	int r = region_table_new(dialect, flags, element, regions, count, &table);

	if (r < 0)
		return r;
	if (!region_table_is_active(table)) {
		region_table_unref(table);
		replace(engine, process, NULL);
		return 0;
	}
	s = new_session(table);
	if (!s) {
		region_table_unref(table);
		return -ENOMEM;
	}
	replace(engine, process, NULL);
	s->stream = stream_for(engine, table->period_ns);
	replace(engine, process, s);
	return 0;
}

void session_clear(struct engine *engine, struct process *process)
{
	if (process->session)
		replace(engine, process, NULL);
}

void session_fork(struct engine *engine, const struct process *parent, struct process *child)
{
	const struct session *from = parent->session;
	struct session *s;

	if (!from || from->off)
		return;
	s = new_session(from->table);
	if (!s) {
		engine_say(engine, ENGINE_WARNING,
			"out of memory: process %d goes on without its sprofil counters",
			child->pid);
		return;
	}
	(void)region_table_ref(s->table);
	s->stream = from->stream;
	memcpy(s->dead, from->dead, s->table->count / 8 + 1);
	replace(engine, child, s);
}

static struct session *session_of(const struct tracee *t)
{
	struct session *s = t->process ? t->process->session : NULL;

	return s && !s->off ? s : NULL;
}

/*
 * The tid to reach the memory through. When another thread calls exec, the leader's tid soon names
 * the new image, and a write would land there; another thread's tid is then no more.
 * (exec_never_receives_counts)
 */
static int memory_tid(const struct engine *engine, const struct tracee *t)
{
	const struct process *process = t->process;

	if (t->tid != process->pid || process->threads < 2)
		return t->tid;
	for (size_t i = 0; i < engine->target.tracees; i++) {
		const struct tracee *other = engine->target.tracee[i];

		if (other->process == process && other->tid != process->pid &&
			other->state != TRACEE_GONE)
			return other->tid;
	}
	return t->tid;
}

/* Adds to one counter. False: the process could not be reached, the ticks are to be kept. */
static bool add(struct engine *engine, struct tracee *t, struct session *s,
	const struct region_hit *hit, uint64_t ticks)
{
	const struct region_policy *policy = s->table->policy;
	struct counter_add add = {.address = hit->address, .ticks = ticks};
	struct audit_calls *audit = &engine->audit.calls;
	pid_t tid = memory_tid(engine, t);
	struct counter_memory memory = counter_memory_of(&tid);
	int r = counter_apply(&memory, s->table->element, policy->overflow, &add, 1, &s->off);

	if (r < 0) {
		/* It has become another user's, or has given up being dumpable: for good. */
		s->off |= r == -EPERM;
		s->untidy |= s->off;
		engine->service.untidy |= s->untidy;
		return false;
	}
	s->untidy |= s->off || add.faulted;
	engine->service.untidy |= s->untidy;
	if (!add.faulted) {
		audit->counted += ticks;
		return true;
	}
	audit->faults++;
	audit->dropped += ticks;
	if (policy->fault_stops_all)
		s->off = true;
	else
		s->dead[hit->region / 8] |= (uint8_t)(1 << hit->region % 8);
	return true;
}

/* With no room left they go with those of another thread. */
static void leave(struct session *s, uint64_t pc, uint64_t ticks)
{
	unsigned i = 0;

	while (i < s->left_n && s->left[i].pc != pc)
		i++;
	if (i == SESSION_LEFT_MOST)
		i--;
	else if (i == s->left_n)
		s->left[s->left_n++] = (struct session_left){.pc = pc};
	s->left[i].ticks += ticks;
}

/* @ticks at @pc, in the memory of @t. False: they are to be kept. */
static bool count_at(
	struct engine *engine, struct tracee *t, struct session *s, uint64_t pc, uint64_t ticks)
{
	struct region_hit hit;

	if (region_look_up(s->table, s->dead, pc, &hit))
		return add(engine, t, s, &hit, ticks);
	engine->audit.calls.dropped += ticks;
	return true;
}

static void count_left(struct engine *engine, struct tracee *t, struct session *s)
{
	while (s->left_n && !s->off) {
		const struct session_left *left = &s->left[s->left_n - 1];

		if (!count_at(engine, t, s, left->pc, left->ticks))
			return;
		s->left_n--;
	}
}

/* Whole ticks of an instant: one, or as many as its slot was longer than the period. */
static uint64_t ticks_of(struct session *s, uint64_t weight_ns)
{
	uint64_t ticks;

	s->rest_ns += weight_ns;
	ticks = s->rest_ns / s->table->period_ns;
	s->rest_ns -= ticks * s->table->period_ns;
	return ticks;
}

void session_tick(
	struct engine *engine, struct tracee *t, unsigned stream, uint64_t pc, uint64_t weight_ns)
{
	struct session *s = session_of(t);
	uint64_t ticks;

	if (!s || s->stream != stream)
		return;
	count_left(engine, t, s);
	ticks = ticks_of(s, weight_ns);
	if (ticks && !s->off && !count_at(engine, t, s, pc, ticks))
		leave(s, pc, ticks);
}

void session_tick_asleep(struct tracee *t, unsigned stream, uint64_t pc, uint64_t weight_ns)
{
	struct session *s = session_of(t);
	uint64_t ticks;

	if (!s || s->stream != stream)
		return;
	ticks = ticks_of(s, weight_ns);
	if (ticks)
		leave(s, pc, ticks);
}

void session_tidy(struct engine *engine)
{
	if (!engine->service.untidy)
		return;
	engine->service.untidy = false;
	for (size_t i = 0; i < engine->target.processes; i++) {
		struct process *process = engine->target.process[i];
		struct session *s = process->session;
		struct region_table *table;

		if (!s || !s->untidy)
			continue;
		s->untidy = false;
		if (s->off) {
			session_clear(engine, process);
		} else if (region_table_without(s->table, s->dead, &table) == 0) {
			/* Without memory the old one serves too, with a slower look-up. */
			region_table_unref(s->table);
			s->table = table;
			if (!region_table_is_active(table))
				session_clear(engine, process);
		}
	}
}

uint64_t session_period_ns(const struct engine *engine, unsigned stream)
{
	for (size_t i = 0; engine->service.sessions && i < engine->target.processes; i++) {
		const struct session *s = engine->target.process[i]->session;

		if (s && s->stream == stream)
			return s->table->period_ns;
	}
	return 0;
}
