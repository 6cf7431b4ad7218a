/* SPDX-License-Identifier: MIT */
#include "supervisor/target/tracee.h"

#include <signal.h>
#include <sys/ptrace.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

enum tracee_event tracee_classify(int status)
{
	int signal = status & 0xff;

	switch (status >> 8) {
	case 0: return signal == (SIGTRAP | 0x80) ? TRACEE_CALL : TRACEE_SIGNAL;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: return TRACEE_CHILD;
	case PTRACE_EVENT_EXEC: return TRACEE_EXEC;
	case PTRACE_EVENT_EXIT: return TRACEE_EXIT;
	case PTRACE_EVENT_STOP: return signal == SIGTRAP ? TRACEE_TRAP : TRACEE_GROUP_STOP;
	default: return TRACEE_OTHER;
	}
}

/*
 * Steps a thread that has had its first stop.
 *
 * Our interrupt may meet another stop of the thread (test: interrupt_meets_other_stop). The kernel
 * clears a pending interrupt at any trap (ptrace_stop()), so no stop of its own then follows.
 * Therefore a signal-delivery-stop of an interrupted thread is sampled in its place, and so is the
 * stop of a fork, vfork or clone. An exec, or the thread's end, is recorded as a sample in the
 * system call that it came from (lifecycle.c).
 *
 * If the interrupt came only after the other stop had begun, its own trap follows when the state is
 * already TRACEE_RUNNING: the thread is resumed, and no sample is taken.
 */
static struct tracee_step alive(enum tracee_state state, enum tracee_event event)
{
	bool asked = state == TRACEE_STOP_REQUESTED;

	switch (event) {
	case TRACEE_TRAP: return (struct tracee_step){TRACEE_RUNNING, TRACEE_TICK};
	case TRACEE_GROUP_STOP: return (struct tracee_step){TRACEE_LISTENING, TRACEE_LISTEN};
	case TRACEE_SIGNAL:
		return (struct tracee_step){
			TRACEE_RUNNING, asked ? TRACEE_TICK_SIGNAL : TRACEE_DELIVER};
	case TRACEE_CHILD: return (struct tracee_step){TRACEE_RUNNING, TRACEE_ADOPT};
	case TRACEE_EXEC: return (struct tracee_step){TRACEE_RUNNING, TRACEE_NEW_IMAGE};
	case TRACEE_EXIT: return (struct tracee_step){state, TRACEE_END};
	case TRACEE_REQUEST_STOP:
		if (asked)
			break;
		return (struct tracee_step){TRACEE_STOP_REQUESTED, TRACEE_INTERRUPT};
	case TRACEE_CALL: return (struct tracee_step){TRACEE_RUNNING, TRACEE_RESTART};
	case TRACEE_OTHER: return (struct tracee_step){TRACEE_RUNNING, TRACEE_RESUME};
	default: break;
	}
	return (struct tracee_step){state, TRACEE_NOTHING};
}

/*
 * Steps a thread that has not stopped yet. If another event comes instead of its first stop, the
 * thread is handled as a running one.
 */
static struct tracee_step expected(enum tracee_event event)
{
	switch (event) {
	case TRACEE_TRAP: return (struct tracee_step){TRACEE_RUNNING, TRACEE_RELEASE};
	case TRACEE_SEIZED: return (struct tracee_step){TRACEE_RUNNING, TRACEE_NOTHING};
	case TRACEE_UNANNOUNCED: return (struct tracee_step){TRACEE_EARLY, TRACEE_NOTHING};
	case TRACEE_REQUEST_STOP:
	case TRACEE_BORN: return (struct tracee_step){TRACEE_EXPECTED, TRACEE_NOTHING};
	default: return alive(TRACEE_RUNNING, event);
	}
}

/* A group-stop ends with a trap (SIGCONT), or with any event caused by SIGKILL. */
static struct tracee_step listening(enum tracee_event event)
{
	switch (event) {
	case TRACEE_TRAP: return (struct tracee_step){TRACEE_RUNNING, TRACEE_RESUME};
	case TRACEE_REQUEST_STOP: return (struct tracee_step){TRACEE_LISTENING, TRACEE_NOTHING};
	default: return alive(TRACEE_RUNNING, event);
	}
}

/*
 * Steps a thread that is held in its first stop until its parent's event. The first stop is a
 * group-stop if the thread's process was already being stopped by a signal when the thread was born
 * (test: newborn_joins_group_stop).
 */
static struct tracee_step early(enum tracee_state state, enum tracee_event event)
{
	switch (event) {
	case TRACEE_BORN:
		if (state == TRACEE_EARLY_STOPPED)
			return (struct tracee_step){TRACEE_LISTENING, TRACEE_LISTEN};
		return (struct tracee_step){TRACEE_RUNNING, TRACEE_RELEASE};
	case TRACEE_TRAP: return (struct tracee_step){TRACEE_EARLY, TRACEE_HOLD};
	case TRACEE_GROUP_STOP: return (struct tracee_step){TRACEE_EARLY_STOPPED, TRACEE_HOLD};
	default: return (struct tracee_step){state, TRACEE_NOTHING};
	}
}

struct tracee_step tracee_step(enum tracee_state state, enum tracee_event event)
{
	if (state == TRACEE_GONE)
		return (struct tracee_step){TRACEE_GONE, TRACEE_NOTHING};
	if (event == TRACEE_DEATH)
		return (struct tracee_step){TRACEE_GONE, TRACEE_REAP};
	/*
	 * Whatever the state was: the thread that called exec is in the stop of its exec, which the
	 * kernel reports under the leader's tid.
	 */
	if (event == TRACEE_RENAMED)
		return (struct tracee_step){TRACEE_RUNNING, TRACEE_NOTHING};
	if (state != TRACEE_EXPECTED && (event == TRACEE_SEIZED || event == TRACEE_UNANNOUNCED))
		return (struct tracee_step){state, TRACEE_NOTHING};
	switch (state) {
	case TRACEE_EXPECTED: return expected(event);
	case TRACEE_EARLY:
	case TRACEE_EARLY_STOPPED: return early(state, event);
	case TRACEE_LISTENING: return listening(event);
	default: return alive(state, event);
	}
}
