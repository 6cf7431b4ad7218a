/* SPDX-License-Identifier: MIT */
/*
 * One traced thread: its state machine. Pure: what happened is named first (tracee_classify), then
 * (state, event) gives (state, action) (tracee_step); the caller acts. tests/unit/test_tracee.c
 * enumerates all of it.
 */
#ifndef SUPERVISOR_TRACEE_H
#define SUPERVISOR_TRACEE_H

#include <stdbool.h>

enum tracee_state {
	TRACEE_EXPECTED, /* its parent's event or our seize told of it; it has not stopped yet */
	TRACEE_EARLY,    /* its first stop came before its parent's event; held in it */
	TRACEE_RUNNING,
	TRACEE_ASKED,     /* running, with an interrupt under way */
	TRACEE_LISTENING, /* in a group-stop */
	TRACEE_GONE,
	TRACEE_STATES
};

enum tracee_event {
	TRACEE_BORN, /* the parent's fork, vfork or clone event names it */
	TRACEE_TRAP, /* PTRACE_EVENT_STOP: our interrupt, a first stop, the end of a group-stop */
	TRACEE_GROUP_STOP, /* it stops with its process */
	TRACEE_SIGNAL,     /* a signal is about to be delivered */
	TRACEE_CHILD,      /* it made a process or thread */
	TRACEE_EXEC,
	TRACEE_DEATH, /* it is a zombie */
	TRACEE_ASK,   /* not an event of the thread: we want a tick stop */
	TRACEE_CALL,  /* it enters or leaves a system call, in which it was mended */
	TRACEE_OTHER, /* an event that nobody asked for */
	/* Not events of the thread, either: */
	TRACEE_SEIZED,  /* the supervisor has seized it, and it runs */
	TRACEE_MET,     /* it stops, and nobody has told of it yet */
	TRACEE_RENAMED, /* it has called exec, and goes by its leader's tid now */
	TRACEE_EVENTS
};

enum tracee_action {
	TRACEE_NOTHING,
	TRACEE_HOLD,        /* take the status, leave it stopped until its parent's event comes */
	TRACEE_RELEASE,     /* let it go on; it is one of ours from now */
	TRACEE_TICK,        /* a tick stop: sample, resume */
	TRACEE_TICK_SIGNAL, /* sample, resume with the signal */
	TRACEE_RESUME,
	TRACEE_DELIVER, /* resume with the signal */
	TRACEE_LISTEN,
	TRACEE_ADOPT,     /* read the child's tid, tell it TRACEE_BORN, resume */
	TRACEE_NEW_IMAGE, /* account for the old image, begin the new one, resume */
	TRACEE_REAP,
	TRACEE_MEND,      /* go on with the repair of its system call, resume */
	TRACEE_INTERRUPT, /* ask for the stop */
	TRACEE_ACTIONS
};

struct tracee_step {
	enum tracee_state state;
	enum tracee_action action;
};

/*
 * Names a ptrace-stop. @status is signal | ptrace event << 8, as waitid gives it:
 * 0x8005 (SIGTRAP, PTRACE_EVENT_STOP) is TRACEE_TRAP, 0x8013 (SIGSTOP, the same) TRACEE_GROUP_STOP,
 * 0x0405 (SIGTRAP, PTRACE_EVENT_EXEC) TRACEE_EXEC, 0x000a (SIGUSR1) TRACEE_SIGNAL,
 * 0x0085 (SIGTRAP and the bit of PTRACE_O_TRACESYSGOOD) TRACEE_CALL.
 */
enum tracee_event tracee_classify(int status);

/* What to do. Every pair has an answer; an event that cannot happen in a state is survived. */
struct tracee_step tracee_step(enum tracee_state state, enum tracee_event event);

#endif
