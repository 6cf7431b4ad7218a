/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/calls/counter.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"
#include "supervisor/target/tracee_memory.h"

/* A stop that was asked for so that ticks are written is asked for again. */
#define WRITE_AGAIN_NS 100000000

static void free_session(struct session *s)
{
	if (!s)
		return;
	region_table_unref(s->table);
	free(s->dead);
	free(s->left);
	free(s);
}

static bool is_elapsed(const struct session *s)
{
	return s->table->flags & CALL_WALL;
}

static struct session *new_session(struct sessions *sessions, struct region_table *table)
{
	struct session *s = mem_new(1, sizeof(*s));

	if (!s)
		return NULL;
	s->left_room = table->flags & CALL_WALL ? SESSION_ELAPSED_MOST : SESSION_LEFT_MOST;
	s->dead = mem_new(table->count / 8 + 1, 1);
	s->left = mem_new(s->left_room, sizeof(*s->left));
	if (!s->dead || !s->left) {
		free(s->dead);
		free(s->left);
		free(s);
		return NULL;
	}
	s->table = table;
	s->serial = ++sessions->serial;
	return s;
}

static uint64_t owed(const struct session *s)
{
	uint64_t ticks = 0;

	for (unsigned i = 0; i < s->left_n; i++)
		ticks += s->left[i].ticks;
	return ticks;
}

/* Ends a session: nothing is counted for it any more. */
static void end(struct sessions *sessions, struct session *s)
{
	uint64_t lost = owed(s);

	if (s->ended)
		return;
	s->ended = true;
	s->left_n = 0;
	s->tally.lost += lost;
	sessions->figures.lost += lost;
	sessions->n--;
	sessions->elapsed -= is_elapsed(s);
}

static void set_reported(struct sessions *sessions, struct session *s)
{
	if (s->unreported && !--sessions->unreported)
		sessions->idle_since_ns = clock_now();
	s->unreported = false;
}

static void announce_change(struct sessions *sessions)
{
	if (!sessions->n)
		sessions->idle_since_ns = clock_now();
	sessions->changed(sessions->context);
}

static void replace(struct sessions *sessions, struct session **at, struct session *s)
{
	if (*at) {
		end(sessions, *at);
		set_reported(sessions, *at);
	}
	if (s) {
		sessions->n++;
		sessions->elapsed += is_elapsed(s);
	}
	free_session(*at);
	*at = s;
	announce_change(sessions);
}

/*
 * The sampler's stream for tables of this period: one that has it, or a free one; if there is none,
 * the last stream.
 */
static unsigned stream_for(const struct sessions *sessions, uint64_t period_ns)
{
	unsigned i = 1;

	while (i < sessions->streams - 1 && session_period_ns(sessions, i) &&
		session_period_ns(sessions, i) != period_ns)
		i++;
	return i;
}

/*
 * Can a table of @period_ns take over the clock of @s? Stopping a clock and starting it again would
 * wake the waiter thread twice while the caller waits for its answer.
 */
static bool goes_on(const struct sessions *sessions, const struct session *s, uint64_t period_ns)
{
	return !s->ended && session_period_ns(sessions, s->stream) == period_ns;
}

static int set(struct sessions *sessions, struct session **at, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count)
{
	struct region_table *table;
	struct session *s;
	int r = region_table_new(dialect, flags, element, regions, count, &table);

	if (r < 0)
		return r;
	if (!region_table_is_active(table)) {
		region_table_unref(table);
		replace(sessions, at, NULL);
		return 0;
	}
	s = new_session(sessions, table);
	if (!s) {
		region_table_unref(table);
		return -ENOMEM;
	}
	if (*at && goes_on(sessions, *at, table->period_ns)) {
		s->stream = (*at)->stream;
	} else {
		replace(sessions, at, NULL);
		s->stream = stream_for(sessions, table->period_ns);
	}
	replace(sessions, at, s);
	return 0;
}

/* The accounts of all threads of @process with its table begin now. */
static void begin_accounts(struct sessions *sessions, const struct process *process)
{
	const struct target *target = sessions->target;

	sessions->see(sessions->context, process);
	for (size_t i = 0; i < target->tracees; i++)
		if (target->tracee[i]->process == process)
			target->tracee[i]->table_began_ns = target->tracee[i]->account.seen.run_ns;
}

int session_set(struct sessions *sessions, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count)
{
	int r = set(sessions, &process->session, dialect, flags, element, regions, count);

	if (r < 0)
		return r;
	sessions->begins(sessions->context, process);
	if (process->session)
		begin_accounts(sessions, process);
	return r;
}

static uint64_t ran_since(const struct tracee *t)
{
	uint64_t run_ns = t->account.seen.run_ns;

	return run_ns > t->table_began_ns ? run_ns - t->table_began_ns : 0;
}

void session_thread_ended(struct tracee *t)
{
	if (t->process && t->process->session)
		t->process->session->ran_ns += ran_since(t);
}

/*
 * A child's figures end with it, and its parent is told what it lacks: of one child that is
 * chance, so CPU time and weights are handed over, not their difference.
 */
static void hand_to_parent(struct sessions *sessions, const struct process *child)
{
	const struct target *target = sessions->target;
	const struct process *parent = target_find_process(target, child->parent);
	struct session *s = child->session, *to = parent ? parent->session : NULL;

	if (!to || to->ended || s->off || to->table != s->table || is_elapsed(s))
		return;
	for (size_t i = 0; i < target->tracees; i++)
		if (target->tracee[i]->process == child)
			to->ran_ns += ran_since(target->tracee[i]);
	to->ran_ns += s->ran_ns;
	to->weighed_ns += s->weighed_ns;
	to->tally.lost += s->tally.lost + owed(s);
}

/*
 * Ticks of CPU time of @process for which no instant has found a thread so far. A live thread may
 * always lack one: its next instant is to come.
 */
static uint64_t unmet(struct sessions *sessions, const struct process *process)
{
	const struct target *target = sessions->target;
	const struct session *s = process->session;
	uint64_t ran_ns = s->ran_ns, period_ns = s->table->period_ns;

	if (s->off || is_elapsed(s))
		return 0;
	sessions->see(sessions->context, process);
	for (size_t i = 0; i < target->tracees; i++) {
		const struct tracee *t = target->tracee[i];
		uint64_t ran = t->process == process ? ran_since(t) : 0;

		ran_ns += ran > period_ns ? ran - period_ns : 0;
	}
	return ran_ns > s->weighed_ns ? (ran_ns - s->weighed_ns) / period_ns : 0;
}

int session_set_thread(struct sessions *sessions, struct tracee *tracee, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count)
{
	unsigned threads = sessions->threads - (tracee->session != NULL);
	int r;

	/* A thread's clock is searched for while it is put in force. */
	sessions->threads = threads + 1;
	r = set(sessions, &tracee->session, dialect, flags, element, regions, count);
	sessions->threads = threads + (tracee->session != NULL);
	if (r == 0)
		sessions->begins(sessions->context, tracee->process);
	return r;
}

void session_clear_thread(struct sessions *sessions, struct tracee *tracee)
{
	if (!tracee->session)
		return;
	sessions->threads--;
	replace(sessions, &tracee->session, NULL);
}

void session_clear(struct sessions *sessions, struct process *process)
{
	struct target *target = sessions->target;

	if (process->session) {
		hand_to_parent(sessions, process);
		replace(sessions, &process->session, NULL);
	}
	for (size_t i = 0; sessions->threads && i < target->tracees; i++)
		if (target->tracee[i]->process == process)
			session_clear_thread(sessions, target->tracee[i]);
}

void session_status(struct sessions *sessions, struct process *process, bool end,
	struct call_status *ret_status)
{
	struct session *s = process->session;
	const struct session_tally *tally;
	struct call_status status = {.state = CALL_IS_OFF};

	if (s) {
		set_reported(sessions, s);
		tally = &s->tally;
		status = (struct call_status){.state = end ? CALL_IS_OFF
				: s->off                   ? CALL_HAS_ENDED
							   : CALL_IS_ON,
			.reason = s->reason,
			.regions = s->table->count,
			.tick_ns = s->table->period_ns,
			.counted = tally->counted,
			.outside = tally->outside,
			.full = tally->full,
			.faulted = tally->faulted,
			.lost = tally->lost + (end ? owed(s) : 0) + unmet(sessions, process)};
		for (uint32_t i = 0; i < s->table->count; i++) {
			if (!(s->dead[i / 8] >> i % 8 & 1))
				continue;
			if (status.dead < CALL_DEAD_LISTED)
				status.first_dead[status.dead] = i;
			status.dead++;
		}
	}
	*ret_status = status;
}

void session_fork(struct sessions *sessions, const struct process *parent, struct process *child)
{
	const struct session *from = parent->session;
	struct session *s;

	if (!from || from->off)
		return;
	s = new_session(sessions, from->table);
	if (!s) {
		say_line(sessions->say, SAY_WARNING,
			"out of memory: process %d goes on without its sprofil counters",
			child->pid);
		return;
	}
	(void)region_table_ref(s->table);
	s->stream = from->stream;
	memcpy(s->dead, from->dead, s->table->count / 8 + 1);
	replace(sessions, &child->session, s);
}

static void turn_off(struct session *s, enum call_reason reason)
{
	s->off = true;
	s->untidy = true;
	s->reason = reason;
}

/*
 * Adds ticks to one counter. False: the process could not be reached, and the ticks must be kept.
 */
static bool add(struct sessions *sessions, struct tracee *t, struct session *s,
	const struct region_hit *hit, uint64_t ticks)
{
	const struct region_policy *policy = s->table->policy;
	struct counter_add add = {.address = hit->address, .ticks = ticks};
	struct session_figures *figures = &sessions->figures;
	size_t cursor = 0;
	pid_t tid = tracee_memory_next_tid(sessions->target, t, &cursor);
	struct remote remote = tracee_memory_of(t->process, tid);
	struct counter_memory memory = counter_memory_of(&remote);
	bool full = false;
	int r = counter_apply(&memory, s->table->element, policy->overflow, &add, 1, &full);

	if (r < 0) {
		/*
		 * The process has changed its user or is no longer dumpable: it cannot be reached
		 * any more.
		 */
		if (r == -EPERM)
			turn_off(s, CALL_HIDDEN);
		sessions->untidy |= s->untidy;
		return false;
	}
	if (full)
		turn_off(s, CALL_FULL);
	if (!add.faulted) {
		figures->counted += ticks;
		s->tally.counted += ticks - add.full;
		s->tally.full += add.full;
		sessions->untidy |= s->untidy;
		return true;
	}
	figures->faults++;
	figures->dropped += ticks;
	s->tally.faulted += ticks;
	s->untidy = true;
	sessions->untidy = true;
	if (policy->fault_stops_all)
		turn_off(s, CALL_FAULT);
	else
		s->dead[hit->region / 8] |= (uint8_t)(1 << hit->region % 8);
	return true;
}

/*
 * Keeps ticks until a thread of the process stops. With no room left, they are added to those of
 * the last address kept; of elapsed time they are lost.
 */
static void leave(struct sessions *sessions, struct session *s, uint64_t pc, uint64_t ticks)
{
	unsigned i = 0;

	if (!s->left_n && !is_elapsed(s)) {
		s->write_at_ns = clock_now() + s->table->period_ns;
		if (!sessions->write_at_ns || s->write_at_ns < sessions->write_at_ns)
			sessions->write_at_ns = s->write_at_ns;
	}
	while (i < s->left_n && s->left[i].pc != pc)
		i++;
	if (i == s->left_room && is_elapsed(s)) {
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

/* Counts @ticks at @pc in the memory of @t. False: they must be kept. */
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

/* Whole ticks of an instant: one, or more if its slot was longer than the period. */
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

/* Does the table exclude a tick in a system call? */
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

static void elapse(struct sessions *sessions, struct session *s, struct elapsed *elapsed,
	const struct cpu_time *cpu, uint64_t now, const uint64_t *pc)
{
	uint64_t ticks;

	if (!s || s->off || !is_elapsed(s))
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
	return s && !s->off && is_elapsed(s) ? s->table->period_ns : 0;
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
		sessions->interrupt(sessions->context, t);
}

/* Stops a thread of @process that can be stopped. */
static void interrupt_any(struct sessions *sessions, const struct process *process)
{
	const struct target *target = sessions->target;

	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (t->process == process && t->state == TRACEE_RUNNING) {
			sessions->interrupt(sessions->context, t);
			return;
		}
	}
}

/*
 * Is it time to write the ticks that are left of @s? The next stop of one of its threads does. The
 * same is due again after WRITE_AGAIN_NS, unless they have been written.
 */
static bool write_is_due(struct sessions *sessions, struct session *s, uint64_t now)
{
	bool due;

	if (!s || !s->left_n || s->off || is_elapsed(s))
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
			sessions->interrupt(sessions->context, target->tracee[i]);
}

void session_catch_up(struct sessions *sessions, struct tracee *t)
{
	if (t->process && t->process->session)
		count_left(sessions, t, t->process->session);
	if (t->session)
		count_left(sessions, t, t->session);
}

static void tidy(struct sessions *sessions, struct session *s, bool of_thread)
{
	struct region_table *table;

	if (!s || !s->untidy)
		return;
	if (!s->off && region_table_without(s->table, s->dead, &table) == 0) {
		/* Without memory the old table remains in use, with a slower look-up. */
		region_table_unref(s->table);
		s->table = table;
		if (!region_table_is_active(table))
			turn_off(s, CALL_FAULT);
	}
	s->untidy = false;
	if (!s->off)
		return;
	end(sessions, s);
	s->unreported = !of_thread;
	sessions->unreported += s->unreported;
	announce_change(sessions);
}

void session_tidy(struct sessions *sessions)
{
	struct target *target = sessions->target;

	if (!sessions->untidy)
		return;
	sessions->untidy = false;
	for (size_t i = 0; i < target->processes; i++)
		tidy(sessions, target->process[i]->session, false);
	for (size_t i = 0; sessions->threads && i < target->tracees; i++)
		tidy(sessions, target->tracee[i]->session, true);
}

static bool has_clock(const struct session *s, unsigned stream)
{
	return s && !s->ended && s->stream == stream;
}

uint64_t session_period_ns(const struct sessions *sessions, unsigned stream)
{
	const struct target *target = sessions->target;

	for (size_t i = 0; sessions->n && i < target->processes; i++)
		if (has_clock(target->process[i]->session, stream))
			return target->process[i]->session->table->period_ns;
	for (size_t i = 0; sessions->threads && i < target->tracees; i++)
		if (has_clock(target->tracee[i]->session, stream))
			return target->tracee[i]->session->table->period_ns;
	return 0;
}
