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

static struct session *new_session(struct engine *engine, struct region_table *table)
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
	s->serial = ++engine->service.serial;
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
	engine_set_wakeups(engine);
}

/* Where a sleeping thread is. */
static bool find_asleep(struct engine *engine, struct tracee *t, uint64_t *ret_pc)
{
	struct activity activity;

	if (look_read_activity(engine, t, &activity) != 0)
		return false; /* without its PC it must be stopped */
	*ret_pc = activity.pc;
	return !activity.running;
}

/*
 * An account begins now, not when the clock comes by. The kernel's figure of a thread that is on a
 * CPU is up to a scheduler tick old, so such a one is asked for a stop. (One that waits for its CPU
 * stops before it runs on.) The caller has brought its own figure up to date.
 */
static void open_account(
	struct engine *engine, struct tracee *t, const struct session *s, bool caller)
{
	struct cpu_time cpu = t->credit.seen;
	bool stops;
	uint64_t pc;

	stops = t->state == TRACEE_ASKED ||
		(t->state == TRACEE_RUNNING && !caller && !find_asleep(engine, t, &pc) &&
			sampler_ask(engine, t));
	(void)account_read_cpu(engine, t, &cpu);
	t->account = (struct session_account){.serial = s->serial,
		.paid_ns = cpu.run_ns,
		.rest_ns = wakeups_random(&engine->wakeups, s->table->period_ns),
		.opening = stops};
}

int session_set(struct engine *engine, struct process *process, int tid, enum call_dialect dialect,
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
	s = new_session(engine, table);
	if (!s) {
		region_table_unref(table);
		return -ENOMEM;
	}
	replace(engine, process, s);
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->process == process)
			open_account(engine, t, s, t->tid == tid);
	}
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
	s = new_session(engine, from->table);
	if (!s) {
		engine_say(engine, ENGINE_WARNING,
			"out of memory: process %d goes on without its sprofil counters",
			child->pid);
		return;
	}
	(void)region_table_ref(s->table);
	memcpy(s->dead, from->dead, s->table->count / 8 + 1);
	replace(engine, child, s);
}

static struct session *session_of(const struct tracee *t)
{
	struct session *s = t->process ? t->process->session : NULL;

	return s && !s->off ? s : NULL;
}

/* A thread born since the table came has used nothing before it. */
static void begin_if_new(struct engine *engine, struct tracee *t, const struct session *s)
{
	if (t->account.serial == s->serial)
		return;
	t->account = (struct session_account){.serial = s->serial,
		.rest_ns = wakeups_random(&engine->wakeups, s->table->period_ns)};
}

bool session_due(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct session *s = session_of(t);
	struct credit credit = t->credit;

	if (!s)
		return false;
	begin_if_new(engine, t, s);
	if (t->account.opening)
		return true; /* another stop came between: it is asked again */
	credit.paid_ns = t->account.paid_ns;
	return credit_estimate(&credit, now, engine->scheduler_tick_ns) + t->account.rest_ns +
		(s->left_n ? s->table->period_ns : 0) >=
		s->table->period_ns;
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

/* CPU time that is not counted yet. */
static uint64_t used_by(struct engine *engine, struct tracee *t, uint64_t run)
{
	const struct session *s = t->process->session;
	uint64_t used;

	begin_if_new(engine, t, s);
	used = t->account.rest_ns;
	if (t->account.opening)
		return used;
	return run > t->account.paid_ns ? used + (run - t->account.paid_ns) : used;
}

bool session_owed(struct engine *engine, struct tracee *t)
{
	const struct session *s = session_of(t);

	return s && used_by(engine, t, t->credit.seen.run_ns) >= s->table->period_ns;
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

void session_thread_ended(struct engine *engine, struct tracee *t)
{
	struct session *s = session_of(t);
	struct cpu_time cpu;
	uint64_t used, ticks;

	if (!s || account_read_cpu(engine, t, &cpu) < 0)
		return;
	/*
	 * Whole periods only. The rest is made up for by the random phase that each account begins
	 * with: to carry it too would count half a tick too much for each thread.
	 */
	used = used_by(engine, t, cpu.run_ns);
	ticks = used / s->table->period_ns;
	t->account.opening = false;
	if (ticks)
		leave(s, t->account.last_pc, ticks);
	t->account.paid_ns = cpu.run_ns;
	t->account.rest_ns = 0;
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

static void count_left(struct engine *engine, struct tracee *t, struct session *s, uint64_t pc)
{
	while (s->left_n && !s->off) {
		const struct session_left *left = &s->left[s->left_n - 1];

		if (!count_at(engine, t, s, left->pc ? left->pc : pc, left->ticks))
			return;
		s->left_n--;
	}
}

void session_count(struct engine *engine, struct tracee *t, uint64_t run, uint64_t pc)
{
	struct session *s = session_of(t);
	uint64_t used, ticks;

	t->account.settling = false;
	if (!s)
		return;
	count_left(engine, t, s, pc);
	used = used_by(engine, t, run);
	if (t->account.opening) {
		t->account.opening = false;
		t->account.paid_ns = run;
	}
	t->account.last_pc = pc;
	ticks = used / s->table->period_ns;
	if (!ticks || s->off || !count_at(engine, t, s, pc, ticks))
		return;
	t->account.paid_ns = run;
	t->account.rest_ns = used - ticks * s->table->period_ns;
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

/* The stop shows what it owes exactly, so it is asked when it can be a tick. The caller's is known.
 */
static void settle(struct engine *engine, struct tracee *t, bool caller)
{
	uint64_t period = t->process->session->table->period_ns, pc;
	struct cpu_time cpu;

	if (account_read_cpu(engine, t, &cpu) < 0 ||
		(used_by(engine, t, cpu.run_ns + (caller ? 0 : engine->scheduler_tick_ns)) <
				period &&
			!t->process->session->left_n))
		return;
	if (t->state == TRACEE_RUNNING && find_asleep(engine, t, &pc)) {
		if (account_read_cpu(engine, t, &cpu) == 0) /* exact now that it sleeps */
			session_count(engine, t, cpu.run_ns, pc);
		return;
	}
	/* A caller that may not be stopped falls asleep soon. */
	t->account.settling = t->state == TRACEE_ASKED || sampler_ask(engine, t) || caller;
	if (!t->account.settling)
		engine->audit.calls.lost += used_by(engine, t, cpu.run_ns) / period;
}

void session_settle(struct engine *engine, struct process *process, int tid)
{
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->process == process && session_of(t) &&
			(t->state == TRACEE_RUNNING || t->state == TRACEE_ASKED))
			settle(engine, t, t->tid == tid);
	}
}

bool session_settling(struct engine *engine, const struct process *process, uint64_t *ret_owed)
{
	const struct session *s = process->session;
	bool waits = false;

	*ret_owed = 0;
	if (!s || s->off)
		return false;
	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];
		struct cpu_time cpu;
		uint64_t ticks, pc;
		bool sleeps;

		if (t->process != process || !t->account.settling)
			continue;
		sleeps = t->state == TRACEE_RUNNING && find_asleep(engine, t, &pc);
		t->account.settling = account_read_cpu(engine, t, &cpu) == 0;
		if (!t->account.settling)
			continue; /* it ends */
		if (sleeps) {
			session_count(engine, t, cpu.run_ns, pc);
			continue;
		}
		ticks = used_by(engine, t, cpu.run_ns) / s->table->period_ns;
		t->account.settling = ticks || s->left_n;
		waits |= t->account.settling;
		*ret_owed += ticks;
	}
	for (unsigned i = 0; i < s->left_n; i++)
		*ret_owed += s->left[i].ticks;
	return waits;
}

uint64_t session_look_ns(const struct engine *engine)
{
	uint64_t least = 0;

	for (size_t i = 0; engine->service.sessions && i < engine->target.processes; i++) {
		const struct session *s = engine->target.process[i]->session;

		if (s && !s->off && (!least || s->table->period_ns < least))
			least = s->table->period_ns;
	}
	/* Between half and five sixths of a period, jitter included: each stop finds one tick due.
	 */
	return least * 2 / 3;
}
