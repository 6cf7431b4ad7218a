/* SPDX-License-Identifier: MIT */
#include <sys/wait.h>

#include "tests/unit/session_fixture.h"

static void test_session_end__threads_that_cannot_be_reached_leave_their_ticks(void **state)
{
	struct world *w = *state;
	struct tracee *gone;

	assert_int_equal(on(w, 0), 0);
	assert_int_equal(target_add(&w->target, NO_TID, w->process, &gone), 0);
	/*
	 * With threads beside the leader, memory is written through their tids. The only such
	 * thread here does not exist, so nothing is written, and the tick waits for the next one.
	 */
	tick(w, AT, TICK_NS);
	assert_int_equal(w->count[0], 0);
	assert_int_equal(status_of(w, false).counted, 0);
	target_remove(&w->target, gone);
	tick(w, AT + 4, TICK_NS);
	assert_int_equal(w->count[0], 1);
	assert_int_equal(w->count[1], 1);
}

static void test_session_end__a_region_that_faults_dies_alone(void **state)
{
	struct world *w = *state;
	struct call_region regions[3];
	struct call_status s;

	for (unsigned i = 0; i < 3; i++) {
		regions[i] = region_of(w);
		regions[i].offset = AT + 0x1000 * i;
	}
	regions[1].base = 0x1000; /* no memory is mapped there */
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, regions, 3), 0);
	tick(w, AT + 0x1000, 2 * TICK_NS);
	tick(w, AT + 0x1000, TICK_NS); /* before the regions are tidied */
	assert_true(w->sessions.untidy);
	session_tidy(&w->sessions);
	assert_false(w->sessions.untidy);
	tick(w, AT + 0x1000, TICK_NS);
	tick(w, AT + 0x2000, TICK_NS);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.dead, 1);
	assert_int_equal(s.first_dead[0], 1);
	assert_int_equal(s.faulted, 2);
	assert_int_equal(s.outside, 2);
	assert_int_equal(s.counted, 1);
	assert_int_equal(w->sessions.figures.faults, 1);
	assert_int_equal(w->sessions.figures.dropped, 4);
	assert_int_equal(w->count[0], 1);
	/* With its last regions dead, the session ends, which is reported once. */
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &regions[1], 1), 0);
	tick(w, AT + 0x1000, TICK_NS);
	w->changes = 0;
	session_tidy(&w->sessions);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(w->sessions.unreported, 1);
	/* A second session_tidy(), as for another session, changes nothing. */
	w->sessions.untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(w->changes, 1);
	assert_int_equal(w->sessions.unreported, 1);
	tick(w, AT + 0x1000, TICK_NS);
	w->sessions.idle_since_ns = 0;
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_HAS_ENDED);
	assert_int_equal(s.reason, CALL_FAULT);
	assert_int_equal(s.faulted, 1);
	assert_int_equal(w->sessions.unreported, 0);
	assert_true(w->sessions.idle_since_ns != 0);
	assert_int_equal(session_period_ns(&w->sessions, STREAM), 0);
	/* A new table of the program forgets an end that was never reported. */
	assert_int_equal(
		session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, &regions[1], 1), 0);
	tick(w, AT + 0x1000, TICK_NS);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.unreported, 1);
	assert_int_equal(on(w, 0), 0);
	assert_int_equal(w->sessions.unreported, 0);
}

static void test_session_end__more_dead_regions_than_are_listed(void **state)
{
	struct world *w = *state;
	struct call_region regions[CALL_DEAD_LISTED + 3];
	struct call_status s;

	for (unsigned i = 0; i < CALL_DEAD_LISTED + 3; i++) {
		regions[i] = region_of(w);
		regions[i].offset = AT + 0x1000 * i;
		regions[i].base = 0x1000; /* no memory is mapped there */
	}
	assert_int_equal(session_set(&w->sessions, w->process, CALL_NATIVE, 0, 4, regions,
				 CALL_DEAD_LISTED + 3),
		0);
	for (unsigned i = 1; i < CALL_DEAD_LISTED + 3; i++)
		tick(w, AT + 0x1000 * i, TICK_NS);
	session_tidy(&w->sessions);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_IS_ON);
	assert_int_equal(s.dead, CALL_DEAD_LISTED + 2);
	for (unsigned i = 0; i < CALL_DEAD_LISTED; i++)
		assert_int_equal(s.first_dead[i], i + 1);
}

/* C20: without access to the target, the session ends and reports why. False: not tried here. */
static bool ends_when_hidden(struct world *w)
{
	struct tracee *init;
	struct call_status s;

	/* An ordinary user cannot access the memory of init, which is no thread of the test. */
	if ((geteuid() == 0 && setresuid(65534, 65534, 65534) < 0) ||
		target_add(&w->target, 1, w->process, &init) < 0 || on(w, 0) < 0)
		return false;
	tick(w, AT, TICK_NS);
	if (w->count[0] || !w->sessions.untidy)
		return false;
	session_tidy(&w->sessions);
	s = status_of(w, false);
	return !w->sessions.n && s.state == CALL_HAS_ENDED && s.reason == CALL_HIDDEN &&
		!s.counted && !s.faulted;
}

static void test_session_end__a_process_that_hides_has_ended(void **state)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(ends_when_hidden(*state) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_session_end__system_v_ends_when_a_counter_is_full(void **state)
{
	struct world *w = *state;
	static uint16_t count;
	struct call_region region = {
		.base = (uint64_t)(uintptr_t)&count, .bytes = 2, .offset = AT, .scale = 0x8000};
	struct call_status s;

	count = 32766;
	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	tick(w, AT, TICK_NS);
	tick(w, AT, TICK_NS);
	assert_int_equal(count, 32767);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	s = status_of(w, false);
	assert_int_equal(s.state, CALL_HAS_ENDED);
	assert_int_equal(s.reason, CALL_FULL);
}

static void test_session_end__system_v_ends_at_a_fault(void **state)
{
	struct world *w = *state;
	struct call_region region = {.base = 0x1000, .bytes = 2, .offset = AT, .scale = 0x8000};

	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	tick(w, AT, TICK_NS);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, TICK_NS);
	session_tidy(&w->sessions);
	assert_int_equal(w->sessions.n, 0);
	assert_int_equal(status_of(w, false).reason, CALL_FAULT);
	assert_int_equal(status_of(w, false).faulted, 1);
	/* At a session's end, unwritten ticks of sleeping threads are lost, and reported. */
	assert_int_equal(session_set(&w->sessions, w->process, CALL_SYSV, 0, 2, &region, 1), 0);
	session_tick_asleep(&w->sessions, w->thread, STREAM, AT, 2 * TICK_NS);
	w->process->session->off = w->process->session->untidy = w->sessions.untidy = true;
	session_tidy(&w->sessions);
	assert_int_equal(status_of(w, false).lost, 2);
	assert_int_equal(status_of(w, true).lost, 2);
	assert_int_equal(w->sessions.figures.lost, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(test_session_end__threads_that_cannot_be_reached_leave_their_ticks),
		SESSION_TEST(test_session_end__a_region_that_faults_dies_alone),
		SESSION_TEST(test_session_end__more_dead_regions_than_are_listed),
		SESSION_TEST(test_session_end__a_process_that_hides_has_ended),
		SESSION_TEST(test_session_end__system_v_ends_when_a_counter_is_full),
		SESSION_TEST(test_session_end__system_v_ends_at_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
