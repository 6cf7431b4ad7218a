/* SPDX-License-Identifier: MIT */
/* Sessions: ticks of blocked threads, which are written at their next stop, and elapsed time. */
#include "base/clock.h"
#include "tests/unit/session_fixture.h"

static void test_session_blocked__ticks_of_sleepers_are_counted_at_the_next_stop(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, 0), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT + 4, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM + 1, AT, TICK_NS);
	assert_int_equal(w->count[0] + w->count[1], 0);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	assert_int_equal(status_of(w, false).lost, 0);
	assert_int_equal(status_of(w, true).lost, 4); /* an "off" now loses the four ticks */
	tick(w, AT + 8, TICK_NS);
	assert_int_equal(w->count[0], 3);
	assert_int_equal(w->count[1], 1);
	assert_int_equal(w->count[2], 1);
	assert_int_equal(status_of(w, true).lost, 0);
	session_ask_stop(&w->sessions, w->thread);
	assert_int_equal(w->interrupts, 1);
	/* Without room for a further address, its ticks go to another one. */
	for (unsigned i = 0; i < SESSION_LEFT_MOST + 3; i++)
		session_tick_asleep(&w->sessions, w->thread, STREAM, AT + 100 + i, TICK_NS);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(status_of(w, false).outside, SESSION_LEFT_MOST + 3);
	/* A table that is replaced loses its unwritten ticks. */
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	assert_int_equal(on(w, 0), 0);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 3);
	assert_int_equal(w->sessions.figures.lost, 2);
}

/* As a thread may sleep for long, a stop is requested when its unwritten ticks are one tick old. */
static void test_session_blocked__what_sleepers_left_is_written_within_a_tick(void **state)
{
	struct world *w = *state;
	uint64_t at, before = clock_now();

	assert_int_equal(on(w, 0), 0);
	w->thread->state = TRACEE_RUNNING;
	session_poll(&w->sessions, before);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	at = w->sessions.write_at_ns;
	assert_in_range(at, before + TICK_NS, clock_now() + TICK_NS);
	session_poll(&w->sessions, at - 1);
	assert_int_equal(w->interrupts, 0);
	session_poll(&w->sessions, at);
	assert_int_equal(w->interrupts, 1);
	/* A stop that does not come is requested again, later. */
	at = w->sessions.write_at_ns;
	w->thread->state = TRACEE_LISTENING;
	session_poll(&w->sessions, at);
	assert_int_equal(w->interrupts, 1);
	w->thread->state = TRACEE_RUNNING;
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 2);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 1);
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 2);
	assert_int_equal(w->sessions.write_at_ns, 0);
}

/* The first thread's call is being restarted for as long as it sleeps. */
static void test_session_blocked__another_thread_is_stopped_if_one_cannot_be(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, 0), 0);
	assert_int_equal(target_add(&w->target, NO_TID, w->process, &w->other), 0);
	w->thread->state = w->other->state = TRACEE_RUNNING;
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	w->busy = true;
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 1);
	/* One stop is enough. */
	w->busy = false;
	session_poll(&w->sessions, w->sessions.write_at_ns);
	assert_int_equal(w->interrupts, 2);
}

/*
 * By chance, a child may get more or fewer ticks than its CPU time. What all ended children
 * together lack is lost in the parent's status.
 */
static void test_session_blocked__what_ended_children_lack_is_lost_by_the_parent(void **state)
{
	struct world *w = *state;
	struct process *child;
	struct tracee *t;

	assert_int_equal(on(w, 0), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			target_add_process(&w->target, NO_TID, w->process->pid, NULL, &child), 0);
		assert_int_equal(target_add(&w->target, NO_TID, child, &t), 0);
		session_fork(&w->sessions, w->process, child);
		t->account.seen.run_ns = 5 * TICK_NS;
		/* Each has 5 ticks by its CPU time; two children get 6, the others 2. */
		session_tick_asleep(&w->sessions, t, STREAM, AT, (i % 2 ? 6 : 2) * TICK_NS);
		session_thread_ended(t);
		child->session->left_n = 0; /* the ticks are written */
		target_remove(&w->target, t);
		session_clear(&w->sessions, child);
		target_remove_process(&w->target, child);
	}
	assert_int_equal(status_of(w, false).lost, 4);
	/* A child with another table does not count for this one. */
	assert_int_equal(target_add_process(&w->target, NO_TID, w->process->pid, NULL, &child), 0);
	assert_int_equal(target_add(&w->target, NO_TID, child, &t), 0);
	session_fork(&w->sessions, w->process, child);
	t->account.seen.run_ns = 5 * TICK_NS;
	assert_int_equal(on(w, 0), 0);
	session_clear(&w->sessions, child);
	assert_int_equal(status_of(w, false).lost, 0);
}

static void look(struct world *w, uint64_t run_ms, uint64_t wait_ms, uint64_t now_ms, uint64_t pc)
{
	struct cpu_time cpu = {run_ms * 1000000, wait_ms * 1000000, 1};

	session_elapse(&w->sessions, w->thread, &cpu, now_ms * 1000000, pc ? &pc : NULL);
}

static void test_session_blocked__elapsed_time_is_counted_where_a_thread_is_blocked(void **state)
{
	struct world *w = *state;

	look(w, 0, 0, 0, AT); /* no table */
	assert_int_equal(session_elapsed_period_ns(w->thread), 0);
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), 0);
	look(w, 0, 0, 500, AT); /* a table, but not of elapsed time */
	assert_int_equal(on(w, CALL_WALL), 0);
	assert_int_equal(w->sessions.elapsed, 1);
	assert_int_equal(session_elapsed_period_ns(w->thread), TICK_NS);
	look(w, 3000, 2000, 1000, AT); /* elapsed time counts from here */
	look(w, 3000, 2000, 1009, AT);
	look(w, 3001, 2000, 1021, AT);     /* 20 ms blocked so far */
	look(w, 3051, 2000, 1081, AT + 4); /* 30 ms blocked so far */
	look(w, 3091, 2000, 1121, 0);      /* on CPU since the last call */
	look(w, 3091, 2000, 1130, AT + 4); /* 39 ms blocked so far */
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 2);
	assert_int_equal(w->count[1], 1);
	look(w, 3091, 2000, 1131, AT + 8);
	/* More CPU time than has passed by the clock does not reduce the blocked time. */
	look(w, 3500, 2000, 1131, AT + 8);
	look(w, 3091, 2000, 1140, AT + 8);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[2], 1);
	/* A new table begins at 0. */
	assert_int_equal(on(w, CALL_WALL), 0);
	look(w, 3091, 2000, 5000, AT);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->count[0], 2);
}

static void test_session_blocked__waiting_for_a_cpu_is_counted_where_the_thread_runs(void **state)
{
	struct world *w = *state;

	assert_int_equal(on(w, CALL_WALL), 0);
	look(w, 0, 100, 1000, 0);
	look(w, 0, 125, 1025, 0);
	tick(w, AT, TICK_NS); /* a whole tick, counted at once */
	assert_int_equal(w->count[0], 3);
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 4);
	/* 65 ms off the CPU; two ticks of them were counted above. */
	look(w, 20, 130, 1085, AT + 4);
	tick(w, AT + 8, TICK_NS);
	assert_int_equal(w->count[1], 4);
	assert_int_equal(w->count[2], 1);
	look(w, 30, 145, 1110, 0);
	tick(w, AT + 12, TICK_NS);
	assert_int_equal(w->count[3], 2);
	/* With CALL_USER, time in system calls is outside of the regions. */
	assert_int_equal(on(w, CALL_WALL | CALL_USER), 0);
	look(w, 0, 0, 1000, AT);
	look(w, 0, 0, 1050, AT);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(status_of(w, false).outside, 5);
}

static void test_session_blocked__elapsed_time_at_too_many_places_is_lost(void **state)
{
	struct world *w = *state;
	uint64_t now = 1000;

	assert_int_equal(on_thread(w, CALL_WALL), 0);
	look(w, 0, 0, now, AT);
	for (unsigned i = 0; i < SESSION_ELAPSED_MOST + 3; i++)
		look(w, 0, 0, now += 10, 0x100000 + i);
	look(w, 0, 0, now += 10, 0x100000);
	assert_int_equal(w->thread->session->tally.lost, 3);
	assert_int_equal(w->sessions.figures.lost, 3);
	session_catch_up(&w->sessions, w->thread);
	assert_int_equal(w->thread->session->tally.outside, SESSION_ELAPSED_MOST + 1);
	/* Of two tables of elapsed time, of process and thread, the shorter tick is in force. */
	assert_int_equal(on(w, CALL_WALL | 100 << CALL_TICK_SHIFT), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), 1000000);
	assert_int_equal(on(w, CALL_WALL | 3000 << CALL_TICK_SHIFT), 0);
	assert_int_equal(session_elapsed_period_ns(w->thread), TICK_NS);
	session_clear_thread(&w->sessions, w->thread);
	assert_int_equal(session_elapsed_period_ns(w->thread), 3 * TICK_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(test_session_blocked__ticks_of_sleepers_are_counted_at_the_next_stop),
		SESSION_TEST(test_session_blocked__what_sleepers_left_is_written_within_a_tick),
		SESSION_TEST(test_session_blocked__another_thread_is_stopped_if_one_cannot_be),
		SESSION_TEST(test_session_blocked__what_ended_children_lack_is_lost_by_the_parent),
		SESSION_TEST(
			test_session_blocked__elapsed_time_is_counted_where_a_thread_is_blocked),
		SESSION_TEST(
			test_session_blocked__waiting_for_a_cpu_is_counted_where_the_thread_runs),
		SESSION_TEST(test_session_blocked__elapsed_time_at_too_many_places_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
