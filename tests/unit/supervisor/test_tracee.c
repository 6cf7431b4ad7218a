/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ptrace.h>

#include <cmocka.h>

#include "supervisor/target/tracee.h"

static void test_tracee__classifies_what_waitid_gives(void **state)
{
	(void)state;
	assert_int_equal(tracee_classify(SIGUSR1), TRACEE_SIGNAL);
	assert_int_equal(tracee_classify(SIGTRAP), TRACEE_SIGNAL);
	assert_int_equal(tracee_classify(64), TRACEE_SIGNAL);
	assert_int_equal(tracee_classify(0x8005), TRACEE_TRAP);
	assert_int_equal(tracee_classify(SIGTRAP | 0x80), TRACEE_CALL);
	assert_int_equal(tracee_classify(SIGSTOP | 128 << 8), TRACEE_GROUP_STOP);
	assert_int_equal(tracee_classify(SIGTSTP | 128 << 8), TRACEE_GROUP_STOP);
	assert_int_equal(tracee_classify(SIGTRAP | PTRACE_EVENT_FORK << 8), TRACEE_CHILD);
	assert_int_equal(tracee_classify(SIGTRAP | PTRACE_EVENT_VFORK << 8), TRACEE_CHILD);
	assert_int_equal(tracee_classify(SIGTRAP | PTRACE_EVENT_CLONE << 8), TRACEE_CHILD);
	assert_int_equal(tracee_classify(0x0405), TRACEE_EXEC);
	assert_int_equal(tracee_classify(SIGTRAP | PTRACE_EVENT_EXIT << 8), TRACEE_EXIT);
	assert_int_equal(tracee_classify(SIGTRAP | PTRACE_EVENT_SECCOMP << 8), TRACEE_OTHER);
}

#define S(state, event, next, action)                  \
	{                                              \
		TRACEE_##state, TRACEE_##event,        \
		{                                      \
			TRACEE_##next, TRACEE_##action \
		}                                      \
	}

/* The step for every state and event, written by hand from ptrace(2) and docs/PTRACE.md. */
static const struct {
	enum tracee_state state;
	enum tracee_event event;
	struct tracee_step step;
} table[] = {
	S(EXPECTED, BORN, EXPECTED, NOTHING),
	S(EXPECTED, TRAP, RUNNING, RELEASE),
	S(EXPECTED, GROUP_STOP, LISTENING, LISTEN),
	S(EXPECTED, SIGNAL, RUNNING, DELIVER),
	S(EXPECTED, CHILD, RUNNING, ADOPT),
	S(EXPECTED, EXEC, RUNNING, NEW_IMAGE),
	S(EXPECTED, EXIT, RUNNING, END),
	S(EXPECTED, DEATH, GONE, REAP),
	S(EXPECTED, REQUEST_STOP, EXPECTED, NOTHING),
	S(EXPECTED, OTHER, RUNNING, RESUME),
	S(EXPECTED, CALL, RUNNING, RESTART),
	S(EXPECTED, SEIZED, RUNNING, NOTHING),
	S(EXPECTED, UNANNOUNCED, EARLY, NOTHING),
	S(EXPECTED, RENAMED, RUNNING, NOTHING),

	S(EARLY, BORN, RUNNING, RELEASE),
	S(EARLY, TRAP, EARLY, HOLD),
	S(EARLY, GROUP_STOP, EARLY_STOPPED, HOLD),
	S(EARLY, SIGNAL, EARLY, NOTHING),
	S(EARLY, CHILD, EARLY, NOTHING),
	S(EARLY, EXEC, EARLY, NOTHING),
	S(EARLY, EXIT, EARLY, NOTHING),
	S(EARLY, DEATH, GONE, REAP),
	S(EARLY, REQUEST_STOP, EARLY, NOTHING),
	S(EARLY, OTHER, EARLY, NOTHING),
	S(EARLY, CALL, EARLY, NOTHING),
	S(EARLY, SEIZED, EARLY, NOTHING),
	S(EARLY, UNANNOUNCED, EARLY, NOTHING),
	S(EARLY, RENAMED, RUNNING, NOTHING),

	S(EARLY_STOPPED, BORN, LISTENING, LISTEN),
	S(EARLY_STOPPED, TRAP, EARLY, HOLD),
	S(EARLY_STOPPED, GROUP_STOP, EARLY_STOPPED, HOLD),
	S(EARLY_STOPPED, SIGNAL, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, CHILD, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, EXEC, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, EXIT, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, DEATH, GONE, REAP),
	S(EARLY_STOPPED, REQUEST_STOP, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, OTHER, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, CALL, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, SEIZED, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, UNANNOUNCED, EARLY_STOPPED, NOTHING),
	S(EARLY_STOPPED, RENAMED, RUNNING, NOTHING),

	S(RUNNING, BORN, RUNNING, NOTHING),
	S(RUNNING, TRAP, RUNNING, TICK),
	S(RUNNING, GROUP_STOP, LISTENING, LISTEN),
	S(RUNNING, SIGNAL, RUNNING, DELIVER),
	S(RUNNING, CHILD, RUNNING, ADOPT),
	S(RUNNING, EXEC, RUNNING, NEW_IMAGE),
	S(RUNNING, EXIT, RUNNING, END),
	S(RUNNING, DEATH, GONE, REAP),
	S(RUNNING, REQUEST_STOP, STOP_REQUESTED, INTERRUPT),
	S(RUNNING, OTHER, RUNNING, RESUME),
	S(RUNNING, CALL, RUNNING, RESTART),
	S(RUNNING, SEIZED, RUNNING, NOTHING),
	S(RUNNING, UNANNOUNCED, RUNNING, NOTHING),
	S(RUNNING, RENAMED, RUNNING, NOTHING),

	S(STOP_REQUESTED, BORN, STOP_REQUESTED, NOTHING),
	S(STOP_REQUESTED, TRAP, RUNNING, TICK),
	S(STOP_REQUESTED, GROUP_STOP, LISTENING, LISTEN),
	S(STOP_REQUESTED, SIGNAL, RUNNING, TICK_SIGNAL),
	S(STOP_REQUESTED, CHILD, RUNNING, ADOPT),
	S(STOP_REQUESTED, EXEC, RUNNING, NEW_IMAGE),
	S(STOP_REQUESTED, EXIT, STOP_REQUESTED, END),
	S(STOP_REQUESTED, DEATH, GONE, REAP),
	S(STOP_REQUESTED, REQUEST_STOP, STOP_REQUESTED, NOTHING),
	S(STOP_REQUESTED, OTHER, RUNNING, RESUME),
	S(STOP_REQUESTED, CALL, RUNNING, RESTART),
	S(STOP_REQUESTED, SEIZED, STOP_REQUESTED, NOTHING),
	S(STOP_REQUESTED, UNANNOUNCED, STOP_REQUESTED, NOTHING),
	S(STOP_REQUESTED, RENAMED, RUNNING, NOTHING),

	S(LISTENING, BORN, RUNNING, NOTHING),
	S(LISTENING, TRAP, RUNNING, RESUME),
	S(LISTENING, GROUP_STOP, LISTENING, LISTEN),
	S(LISTENING, SIGNAL, RUNNING, DELIVER),
	S(LISTENING, CHILD, RUNNING, ADOPT),
	S(LISTENING, EXEC, RUNNING, NEW_IMAGE),
	S(LISTENING, EXIT, RUNNING, END),
	S(LISTENING, DEATH, GONE, REAP),
	S(LISTENING, REQUEST_STOP, LISTENING, NOTHING),
	S(LISTENING, OTHER, RUNNING, RESUME),
	S(LISTENING, CALL, RUNNING, RESTART),
	S(LISTENING, SEIZED, LISTENING, NOTHING),
	S(LISTENING, UNANNOUNCED, LISTENING, NOTHING),
	S(LISTENING, RENAMED, RUNNING, NOTHING),

	S(GONE, BORN, GONE, NOTHING),
	S(GONE, TRAP, GONE, NOTHING),
	S(GONE, GROUP_STOP, GONE, NOTHING),
	S(GONE, SIGNAL, GONE, NOTHING),
	S(GONE, CHILD, GONE, NOTHING),
	S(GONE, EXEC, GONE, NOTHING),
	S(GONE, EXIT, GONE, NOTHING),
	S(GONE, DEATH, GONE, NOTHING),
	S(GONE, REQUEST_STOP, GONE, NOTHING),
	S(GONE, OTHER, GONE, NOTHING),
	S(GONE, CALL, GONE, NOTHING),
	S(GONE, SEIZED, GONE, NOTHING),
	S(GONE, UNANNOUNCED, GONE, NOTHING),
	S(GONE, RENAMED, GONE, NOTHING),
};

static void test_tracee__every_state_answers_every_event(void **state)
{
	bool seen[TRACEE_STATES][TRACEE_EVENTS] = {{false}};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct tracee_step step = tracee_step(table[i].state, table[i].event);

		if (step.state != table[i].step.state || step.action != table[i].step.action)
			fail_msg("state %d, event %d: state %d, action %d", table[i].state,
				table[i].event, step.state, step.action);
		assert_false(seen[table[i].state][table[i].event]);
		seen[table[i].state][table[i].event] = true;
	}
	assert_int_equal(sizeof(table) / sizeof(*table), TRACEE_STATES * TRACEE_EVENTS);
}

/* A live thread in any stop is resumed, kept on purpose, or left in a group-stop. */
static void test_tracee__no_stop_is_left_alone(void **state)
{
	static const enum tracee_event stops[] = {TRACEE_TRAP, TRACEE_GROUP_STOP, TRACEE_SIGNAL,
		TRACEE_CHILD, TRACEE_EXEC, TRACEE_CALL, TRACEE_OTHER};

	(void)state;
	for (int s = TRACEE_EXPECTED; s < TRACEE_GONE; s++) {
		if (s == TRACEE_EARLY || s == TRACEE_EARLY_STOPPED)
			continue;
		for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
			assert_int_not_equal(
				tracee_step((enum tracee_state)s, stops[i]).action, TRACEE_NOTHING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracee__classifies_what_waitid_gives),
		cmocka_unit_test(test_tracee__every_state_answers_every_event),
		cmocka_unit_test(test_tracee__no_stop_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
