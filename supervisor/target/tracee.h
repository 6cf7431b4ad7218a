/* SPDX-License-Identifier: MIT */
/*
 * The state machine of a traced thread. Pure: tracee_classify() names what happened, tracee_step()
 * maps (state, event) to (state, action), and the caller acts.
 * tests/unit/supervisor/test_tracee.c enumerates all pairs.
 */
#ifndef SUPERVISOR_TRACEE_H
#define SUPERVISOR_TRACEE_H

#include <stdbool.h>

enum tracee_state {
	TRACEE_EXPECTED, /* announced by its parent's event or our seize; has not stopped yet */
	TRACEE_EARLY,    /* its first stop came before its parent's event; held in that stop */
	TRACEE_EARLY_STOPPED, /* like TRACEE_EARLY, but its first stop is a group-stop */
	TRACEE_RUNNING,
	TRACEE_STOP_REQUESTED, /* running, with an interrupt pending */
	TRACEE_LISTENING,      /* in a group-stop */
	TRACEE_GONE,
	TRACEE_STATES
};

enum tracee_event {
	TRACEE_BORN, /* the parent's fork, vfork or clone event names the thread */
	TRACEE_TRAP, /* PTRACE_EVENT_STOP: our interrupt, a first stop, the end of a group-stop */
	TRACEE_GROUP_STOP, /* a group-stop begins */
	TRACEE_SIGNAL,     /* a signal-delivery-stop */
	TRACEE_CHILD,      /* the thread made a process or thread */
	TRACEE_EXEC,
	TRACEE_EXIT,         /* PTRACE_EVENT_EXIT: the thread begins to exit */
	TRACEE_DEATH,        /* the thread is a zombie */
	TRACEE_REQUEST_STOP, /* not an event of the thread: the supervisor wants it to stop */
	TRACEE_CALL,         /* entry to or exit from a system call that is restarted */
	TRACEE_OTHER,        /* an event that was not requested */
	/* Not events of the thread, but steps taken by the supervisor: */
	TRACEE_SEIZED,      /* the supervisor has seized the thread, which runs */
	TRACEE_UNANNOUNCED, /* a stop of a thread that no event has announced */
	TRACEE_RENAMED,     /* the thread has called exec and now has its leader's tid */
	TRACEE_EVENTS
};

enum tracee_action {
	TRACEE_NOTHING,
	TRACEE_HOLD,    /* consume the status; leave the thread stopped until its parent's event */
	TRACEE_RELEASE, /* resume; the thread's first stop is over */
	TRACEE_TICK,    /* the requested stop has come: sample, resume */
	TRACEE_TICK_SIGNAL, /* sample, resume with the signal */
	TRACEE_RESUME,
	TRACEE_DELIVER,   /* resume with the signal */
	TRACEE_LISTEN,    /* leave the thread in its group-stop */
	TRACEE_ADOPT,     /* read the child's tid, step it with TRACEE_BORN, resume */
	TRACEE_NEW_IMAGE, /* close the account of the old image, open one for the new, resume */
	/*
	 * detach if the parent holds a pidfd of the process (engine/exits.h), because a pidfd
	 * reports a traced process's end before the parent can wait for it; otherwise resume
	 */
	TRACEE_END,
	TRACEE_REAP,
	TRACEE_RESTART,   /* continue the restart of its system call, resume */
	TRACEE_INTERRUPT, /* request the stop */
	TRACEE_ACTIONS
};

struct tracee_step {
	enum tracee_state state;
	enum tracee_action action;
};

/*
 * Names a ptrace-stop. @status is signal | ptrace event << 8, as waitid gives it:
 *
 * 0x8005 (SIGTRAP, PTRACE_EVENT_STOP) is TRACEE_TRAP,
 * 0x8013 (SIGSTOP, PTRACE_EVENT_STOP) is TRACEE_GROUP_STOP,
 * 0x0405 (SIGTRAP, PTRACE_EVENT_EXEC) is TRACEE_EXEC,
 * 0x000a (SIGUSR1) is TRACEE_SIGNAL,
 * 0x0085 (SIGTRAP and the bit of PTRACE_O_TRACESYSGOOD) is TRACEE_CALL.
 */
enum tracee_event tracee_classify(int status);

/*
 * Defined for every pair. An event that cannot happen in a state leaves the state unchanged or is
 * handled as for a running thread.
 */
struct tracee_step tracee_step(enum tracee_state state, enum tracee_event event);

#endif
