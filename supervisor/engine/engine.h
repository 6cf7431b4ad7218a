/* SPDX-License-Identifier: MIT */
/*
 * The engine: launches or attaches, follows the target's life, samples, and hands records to the
 * analyst. It runs on a thread of its own, because the end of the tracing thread is the one way to
 * let every tracee go as it is: the kernel then detaches running, sleeping and stopped ones alike.
 */
#ifndef SUPERVISOR_ENGINE_H
#define SUPERVISOR_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/launch.h"
#include "supervisor/os/say.h"

struct arch_snapshot;
struct choice_rule;
struct stack_copy;

/* A server, which asks for the profile so far. The descriptors are closed by who opened them. */
struct engine_server {
	int request_fd; /* it asks by this one (proto/request.h); does not block */
	int pieces_fd;  /* and is sent pieces (proto/piece.h) by the analyst by this one */
	bool on_demand; /* samples are taken only while it wants some; the run ends with it */
};

struct engine_options {
	char *const *command; /* argv, NULL to attach */
	const int *pids;      /* processes to attach to */
	size_t pids_n;
	/* The first so many must be attached to. The others were found: those that are gone, or
	 * cannot be attached to, are left out. */
	size_t pids_given;
	const struct choice_rule *choice; /* the threads that the profile is of; NULL: all */
	bool follow;
	bool dump; /* one stack of every thread that is attached to, and no profile */
	/*
	 * dump: called for each thread by the one that traces it, first while the thread is
	 * stopped, then when it goes on, with the same snapshot and copy of its stack, which are
	 * borrowed. A thread that must not be stopped has no snapshot (NULL). NULL: nobody asks.
	 */
	void (*examine)(void *context, int pid, int tid, const struct arch_snapshot *snapshot,
		const struct stack_copy *stack, bool stopped);
	/* No process's CPU time is carried by a sample of another one. */
	bool per_process;
	/*
	 * Only serve the sprofil calls of the processes: no profile, no analyst. Ends when none of
	 * them is profiling any more, and lets go of a process that calls exec.
	 */
	bool serve_only;
	int ready_fd;                /* serve_only: where to write the first answer; it is closed */
	struct histogram *histogram; /* --region: counters that we hold; NULL none */
	bool no_realtime;            /* --no-realtime */
	bool own_session;            /* the threads that sample leave the session */
	bool restrict_fast;          /* PROF_FAST fails with EACCES */
	uint64_t period_ns;          /* CPU time of a tick */
	uint64_t delay_ns;           /* before the first tick */
	uint64_t duration_ns;        /* 0: until the end */
	uint64_t rotate_ns;          /* --rotate; 0: one profile */
	uint64_t rotate_bytes;       /* the same when the analyst says so; 0: it does not */
	bool ring;                   /* --ring: pieces of rotate_ns, in memory, and no files */
	const struct engine_server *server; /* who gets parts of the profile; NULL none */
	bool snapshots;              /* SIGUSR2 to us alone: the profile so far is written */
	/* Bound on the share of its time that the target is stopped, in millionths; 0 none. */
	uint32_t max_overhead_ppm;
	/*
	 * Bound on the CPU time of ours and the analyst's, in millionths of one CPU; 0 none. With a
	 * period here it is meant for that one and longer ones, and is larger in proportion at
	 * shorter ones.
	 */
	uint32_t max_cpu_ppm;
	uint64_t max_cpu_period_ns;
	struct launch_state inherited; /* what the command gets back */
	bool signals_end;           /* signals to us end the profiling also while a command runs */
	const char *const *analyst; /* argv of the analyst; argv[0] is its path; NULL: none */
	uint64_t ring_bytes;        /* a power of two */
	bool wall;                  /* look at blocked threads too */
	bool wall_first;            /* and a tick is a period of the wall clock */
	size_t max_stack;           /* most bytes of a stack that are copied; 0: no stacks */
	/*
	 * The tracing thread hangs in the kernel, and with it a thread of the target. Only the end
	 * of this process, or its exec, lets the target go on: does one of these. The process ids
	 * are those of the command and the analyst, 0 none. NULL: the process ends.
	 */
	void (*hangs)(void *context, int command_pid, int analyst_pid);
	/*
	 * Called once by the tracing thread, with nothing stopped: the processes are attached to,
	 * or the command has got as far as its exec. NULL: nobody asks.
	 */
	void (*begun)(void *context);
	/*
	 * Called when all processes are let go, and before the analyst is told that this is the
	 * end: @pids are those that were profiled and have not ended. May block. NULL: nobody asks.
	 */
	void (*released)(void *context, const int *pids, size_t n);
	/* Says one line, without a newline. Called outside of stop windows only. */
	void (*say)(void *context, enum say_kind kind, const char *line);
	void *context;
};

struct engine_result {
	int error;          /* 0, or -errno: profiling could not begin */
	int exec_error;     /* errno: the command could not be executed */
	int refused_pid;    /* with error: the process that could not be attached to, 0 none */
	int command_pid;    /* 0 none */
	bool command_ended; /* then command_status is its wait status */
	int command_status;
	int analyst_pid; /* still to be waited for, 0 none */
	int analyst_fd;  /* closing it makes that one wait for nobody else; -1 none */
	/* The signal that asked us to stop attaching (SIGINT …), 0 none. */
	int stopped_by;
};

/*
 * Blocks until the target is gone, was let go, or profiling could not begin. The signals of
 * engine_signals() must be blocked in all threads. Everything that was traced is released before
 * it returns; the analyst has been told to finish. The calling thread is the command's parent, and
 * must live as long as it does (launch.h says why).
 */
void engine_run(const struct engine_options *options, struct engine_result *ret_result);

/* Signals that are for the command while it lives, and end what we do when there is none. */
bool engine_is_order(int signal);

/*
 * A signal that came after engine_run(). True: the command lives, and has been sent it if it was an
 * order to us alone.
 */
bool engine_pass_on(const struct engine_result *result, const siginfo_t *info);

/*
 * A signal that came to the process that stands for this one is sent to @pid, with where it came
 * from.
 */
void engine_forward(int pid, const siginfo_t *info);

/*
 * Waits for a command that lives on after engine_run() (--duration), passing on signals that are
 * sent to us alone. Its wait status goes to @ret_status.
 */
int engine_join(const struct engine_result *result, int *ret_status);

/* The signals that the engine takes care of, to be blocked before threads are made. */
void engine_signals(sigset_t *ret_set);

#endif
