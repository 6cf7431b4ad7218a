/* SPDX-License-Identifier: MIT */
#include "supervisor/calls/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "supervisor/calls/session_ticks.h"
#include "supervisor/os/mem.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

static void free_session(struct session *s)
{
	if (!s)
		return;
	region_table_unref(s->table);
	free(s->dead);
	free(s->left);
	free(s);
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
	/*
	 * The sum of weights starts at half a tick. As ticks_of() rounds it down, the number of
	 * ticks is the nearest one.
	 */
	s->rest_ns = table->period_ns / 2;
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
	sessions->elapsed -= session_is_elapsed(s);
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
		sessions->elapsed += session_is_elapsed(s);
	}
	free_session(*at);
	*at = s;
	announce_change(sessions);
}

/*
 * Returns the stream of sampling instants (sample/plan.h) that has this period, else a free one,
 * else the last one, which tables of several periods may share.
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
 * Can a table of @period_ns go on with the stream of @s? To end the stream and begin it again would
 * wake the waiter of each CPU (cpu_waiter.h) twice, while the caller waits for its answer.
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

/* Notes the threads' CPU time: time before the table came into force is not counted. */
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
 * Adds the CPU time and the weights of a process whose session ends to those of its parent. If the
 * child has fewer ticks than its CPU time calls for, the parent's status then shows this. Both sums
 * are added, rather than their difference: for a single child the difference is mostly chance.
 */
static void hand_to_parent(struct sessions *sessions, const struct process *child)
{
	const struct target *target = sessions->target;
	const struct process *parent = target_find_process(target, child->parent);
	struct session *s = child->session, *to = parent ? parent->session : NULL;

	if (!to || to->ended || s->off || to->table != s->table || session_is_elapsed(s))
		return;
	for (size_t i = 0; i < target->tracees; i++)
		if (target->tracee[i]->process == child)
			to->ran_ns += ran_since(target->tracee[i]);
	to->ran_ns += s->ran_ns;
	to->weighed_ns += s->weighed_ns;
	to->tally.lost += s->tally.lost + owed(s);
}

/*
 * Returns the CPU time of @process that the weights of its hits do not cover, in ticks. One tick of
 * each live thread is left out: its instant is still to come.
 */
static uint64_t unmet(struct sessions *sessions, const struct process *process)
{
	const struct target *target = sessions->target;
	const struct session *s = process->session;
	uint64_t ran_ns = s->ran_ns, period_ns = s->table->period_ns;

	if (s->off || session_is_elapsed(s))
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

	/*
	 * The new session is counted before set(): that calls session_period_ns(), which skips the
	 * sessions of threads if sessions->threads is 0.
	 */
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

static void tidy(struct sessions *sessions, struct session *s, bool of_thread)
{
	struct region_table *table;

	if (!s || !s->untidy)
		return;
	if (!s->off && region_table_without(s->table, s->dead, &table) == 0) {
		/* On -ENOMEM the old table stays in use, with a slower look-up. */
		region_table_unref(s->table);
		s->table = table;
		if (!region_table_is_active(table))
			session_turn_off(s, CALL_FAULT);
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
