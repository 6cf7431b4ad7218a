/* SPDX-License-Identifier: MIT */
/* Sessions: periods of ticks, tables of processes and threads, and their status. */
#include <errno.h>

#include "tests/unit/session_fixture.h"

/* A new table with the old period keeps its clock: a change would wake the sampling thread. */
static void test_session__same_period_keeps_the_clock(void **state)
{
	struct world *w = *state;
	unsigned stream;

	assert_int_equal(on(w, 0), 0);
	stream = w->process->session->stream;
	w->changes = w->begun = 0;
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->begun, 1);
	assert_int_equal(w->process->session->stream, stream);
	assert_int_equal(w->sessions.n, 1);
	w->changes = 0;
	assert_int_equal(on(w, CALL_FAST), 0);
	assert_int_equal(w->changes, 2); /* changed() for no table, then for the new one */
	assert_int_equal(session_period_ns(&w->sessions, w->process->session->stream),
		call_period_ns(CALL_NATIVE, CALL_FAST));
	/* A session that has ended has no clock. */
	w->process->session->untidy = w->process->session->off = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	w->changes = 0;
	assert_int_equal(on(w, CALL_FAST), 0);
	assert_int_equal(w->changes, 2);
	assert_int_equal(w->sessions.n, 1);
}

static void test_session__a_tick_is_a_period_of_weight(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->sessions.n, 1);
	assert_int_equal(w->changes, 2); /* changed() for no table, then for the new one */
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 1);
	tick(w, AT + 4, 3 * TICK_NS);
	assert_int_equal(w->count[1], 3);
	/* A weight's remainder below a tick goes into the process's next tick, of any thread. */
	tick(w, AT + 8, TICK_NS / 2 - 1);
	assert_int_equal(w->count[2], 0);
	tick(w, AT + 8, TICK_NS);
	assert_int_equal(w->count[2], 1);
	tick(w, AT + 8, 1);
	assert_int_equal(w->count[2], 2);
	/* An instant of another stream than the table's adds nothing. */
	session_tick(&w->sessions, w->thread, STREAM + 1, AT, false, TICK_NS);
	assert_int_equal(w->count[0], 1);
	assert_int_equal(w->sessions.figures.counted, 6);
	assert_int_equal(status_of(w, false).counted, 6);
}

/* CPU time that no instant found is lost, less one tick for each live thread. */
static void test_session__status_tells_what_no_instant_met(void **state)
{
	struct world *w = *state;
	struct tracee *other;

	w->thread->account.seen.run_ns = 7 * TICK_NS;
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->seen, 1);
	assert_int_equal(status_of(w, false).lost, 0);
	w->thread->account.seen.run_ns += 2 * TICK_NS - 1;
	assert_int_equal(status_of(w, false).lost, 0);
	w->thread->account.seen.run_ns += 3 * TICK_NS + 1;
	assert_int_equal(status_of(w, false).lost, 4);
	assert_int_equal(w->seen, 4);
	/*
	 * An instant that found the thread explains CPU time of its weight, even outside of all
	 * regions. The next tick makes up for a part of the rest.
	 */
	tick(w, AT, 3 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS / 2 - 1);
	assert_int_equal(status_of(w, false).lost, 0);
	/* No further instant will find a thread that has ended. */
	assert_int_equal(target_add(&w->target, NO_TID, w->process, &other), 0);
	other->account.seen.run_ns = 3 * TICK_NS;
	assert_int_equal(status_of(w, false).lost, 2);
	session_thread_ended(other);
	target_remove(&w->target, other);
	assert_int_equal(status_of(w, false).lost, 3);
	assert_int_equal(status_of(w, true).lost, 3);
	/* The next table begins without lost time. */
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(status_of(w, false).lost, 0);
}

static void test_session__status_tells_where_ticks_went(void **state)
{
	struct world *w = *state;
	struct call_status s;

	assert_int_equal(status_of(w, false).state, CALL_IS_OFF);
	assert_int_equal(on(w, CALL_USER), 0);
	w->count[3] = UINT32_MAX - 1;
	tick(w, AT, TICK_NS);
	tick(w, AT + 16, 2 * TICK_NS);
	tick(w, AT + 12, 4 * TICK_NS);
	session_tick(&w->sessions, w->thread, STREAM, AT, true, 5 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 6 * TICK_NS);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.reason, CALL_NO_REASON);
	assert_int_equal(s.regions, 1);
	assert_int_equal(s.dead, 0);
	assert_int_equal(s.tick_ns, TICK_NS);
	assert_int_equal(s.counted, 2);
	assert_int_equal(s.outside, 13);
	assert_int_equal(s.full, 3);
	assert_int_equal(s.faulted + s.lost, 0);
	assert_int_equal(w->sessions.figures.dropped, 13);
	assert_int_equal(status_of(w, true).state, CALL_IS_OFF);
}

static void test_session__all_are_tidied(void **state)
{
	struct world *w = *state;
	struct call_region region = region_of(w);
	struct process *process;
	struct tracee *thread;

	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &process), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process, &thread), 0);
	assert_int_equal(session_set(&w->sessions, process, CALL_NATIVE, 0, 4, &region, 1), 0);
	assert_int_equal(session_set_thread(&w->sessions, thread, CALL_NATIVE,
				 200 << CALL_TICK_SHIFT, 4, &region, 1),
		0);
	assert_int_equal(session_period_ns(&w->sessions, thread->session->stream), 2000000);
	process->session->off = process->session->untidy = w->sessions.untidy = true;
	thread->session->off = thread->session->untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 1);
	/* Clearing a process forgets its unreported end, and keeps tables of other threads. */
	assert_int_equal(on_thread(w, 0), 0);
	session_clear(&w->sessions, process);
	assert_int_equal(w->sessions.threads, 1);
	assert_int_equal(w->sessions.unreported, 0);
	assert_null(thread->session);
}

static void test_session__each_period_has_a_stream(void **state)
{
	static const uint32_t units[] = {100, 200, 300, 400};
	struct world *w = *state;
	struct process *process[4];
	struct tracee *thread;
	struct call_region region = region_of(w);

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			target_add_process(&w->target, NO_TID + (int)i, 1, NULL, &process[i]), 0);
		assert_int_equal(session_set(&w->sessions, process[i], CALL_NATIVE,
					 units[i] << CALL_TICK_SHIFT, 4, &region, 1),
			0);
	}
	assert_int_equal(session_period_ns(&w->sessions, 1), 1000000);
	assert_int_equal(session_period_ns(&w->sessions, 2), 2000000);
	/* There are three streams: the fourth period uses the last one. */
	assert_int_equal(session_period_ns(&w->sessions, 3), 3000000);
	assert_int_equal(process[3]->session->stream, 3);
	/* Tables of equal periods share a stream. */
	assert_int_equal(on_thread(w, 200 << CALL_TICK_SHIFT), 0);
	assert_int_equal(w->thread->session->stream, 2);
	session_clear(&w->sessions, process[1]);
	/* The thread's own table still uses the stream's period. */
	assert_int_equal(session_period_ns(&w->sessions, 2), 2000000);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(session_period_ns(&w->sessions, 2), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process[0], &thread), 0);
	session_tick(&w->sessions, thread, 2, AT, false, TICK_NS);
	assert_int_equal(w->sessions.figures.counted, 0);
}

static void test_session__a_thread_has_one_beside_its_process(void **state)
{
	struct world *w = *state;
	struct tracee *other;
	struct process *process;

	assert_int_equal(on(w, 0), 0);
	w->begun = 0;
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(w->begun, 1);
	/* A refused table changes nothing. */
	assert_int_equal(
		session_set_thread(&w->sessions, w->thread, CALL_NATIVE, 0, 3, NULL, 0), -EINVAL);
	assert_int_equal(w->begun, 1);
	assert_int_equal(w->sessions.n, 2);
	assert_int_equal(w->sessions.threads, 1);
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 2);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 4);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	assert_int_equal(on_thread(w, 0), 0); /* replaces the other table */
	assert_int_equal(w->sessions.threads, 1);
	session_clear_thread(&w->sessions, w->thread);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(w->sessions.threads, 0);
	assert_int_equal(w->sessions.n, 1);
	/* A table without regions is no table. */
	w->sessions.idle_since_ns = 0;
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(
		session_set_thread(&w->sessions, w->thread, CALL_NATIVE, 0, 4, NULL, 0), 0);
	assert_int_equal(w->sessions.threads, 0);
	assert_int_equal(w->sessions.idle_since_ns, 0); /* the process's table is in force */
	/* "Off" for a process is off for its threads, not for another process's. */
	assert_int_equal(on_thread(w, 0), 0);
	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &process), 0);
	assert_int_equal(target_add(&w->target, NO_TID, process, &other), 0);
	session_clear(&w->sessions, process);
	assert_int_equal(w->sessions.n, 2);
	session_clear(&w->sessions, w->process);
	assert_int_equal(w->sessions.n, 0);
	assert_null(w->thread->session);
	assert_true(w->sessions.idle_since_ns != 0);
	/* The end of a thread's own session is not reported. */
	assert_int_equal(on_thread(w, 0), 0);
	w->thread->session->off = w->thread->session->untidy = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 0);
	session_clear_thread(&w->sessions, w->thread);
}

static void test_session__a_table_that_counts_nothing_is_none(void **state)
{
	struct world *w = *state;
	struct call_region region = region_of(w);

	assert_int_equal(on(w, 0), 0);
	region.scale = 1;
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &region, 1), 0);
	assert_null(w->process->session);
	assert_int_equal(w->sessions.n, 0);
	/* An invalid table changes nothing. */
	assert_int_equal(on(w, 0), 0);
	region.scale = 0x10000;
	region.base = UINT64_MAX;
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &region, 1), -EINVAL);
	assert_int_equal(w->sessions.n, 1);
}

static void test_session__fork_copies_what_is_in_force(void **state)
{
	struct world *w = *state;
	struct process *child, *grandchild;

	assert_int_equal(target_add_process(&w->target, NO_TID, 1, NULL, &child), 0);
	assert_int_equal(target_add_process(&w->target, NO_TID + 1, 1, NULL, &grandchild), 0);
	session_fork(&w->sessions, w->process, child);
	assert_null(child->session);
	assert_int_equal(on(w, 0), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	w->process->session->dead[0] = 1;
	session_fork(&w->sessions, w->process, child);
	assert_non_null(child->session);
	assert_int_equal(w->sessions.n, 2);
	assert_ptr_equal(child->session->table, w->process->session->table);
	assert_int_equal(child->session->table->references, 2);
	assert_int_equal(child->session->stream, STREAM);
	assert_int_equal(child->session->dead[0], 1);
	assert_int_equal(child->session->left_n, 0);
	child->session->off = true;
	session_fork(&w->sessions, child, grandchild);
	assert_null(grandchild->session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(test_session__same_period_keeps_the_clock),
		SESSION_TEST(test_session__a_tick_is_a_period_of_weight),
		SESSION_TEST(test_session__status_tells_what_no_instant_met),
		SESSION_TEST(test_session__status_tells_where_ticks_went),
		SESSION_TEST(test_session__all_are_tidied),
		SESSION_TEST(test_session__each_period_has_a_stream),
		SESSION_TEST(test_session__a_thread_has_one_beside_its_process),
		SESSION_TEST(test_session__a_table_that_counts_nothing_is_none),
		SESSION_TEST(test_session__fork_copies_what_is_in_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
