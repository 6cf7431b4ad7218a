/* SPDX-License-Identifier: MIT */
/*
 * The engine: launches or attaches, follows processes and threads, samples, and sends records to
 * the analyst. It runs in a thread of its own: only the end of the tracing thread makes the kernel
 * detach running, sleeping and stopped tracees as they are.
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

/* A server that requests the profile so far. The descriptors are owned by the caller. */
struct engine_server {
	int request_fd; /* its requests (proto/request.h); non-blocking */
	int pieces_fd;  /* the analyst sends pieces (proto/piece.h) to the server through this */
	bool on_demand; /* sample only while the server wants it; the run ends with the server */
};

struct engine_options {
	char *const *command; /* argv; NULL: attach to @pids */
	const int *pids;      /* processes to attach to */
	size_t pids_n;
	/* The first @pids_given must be attached to; the others are skipped if gone or refused. */
	size_t pids_given;
	/* number of live descendants of @pids that are not profiled, counted at the start */
	size_t descendants_left;
	const struct choice_rule *choice; /* the threads to profile; NULL: all */
	bool follow;
	bool dump; /* one stack of every attached thread, and no profile */
	/*
	 * dump: called by the tracing thread for each thread, while the thread is stopped and again
	 * after its resume, with the same borrowed snapshot and stack copy. @snapshot is NULL if
	 * the thread is examined without a stop. The callback may be NULL.
	 */
	void (*examine)(void *context, int pid, int tid, const struct arch_snapshot *snapshot,
		const struct stack_copy *stack, bool stopped);
	/* The CPU time of a process is distributed over samples of that process only. */
	bool per_process;
	/*
	 * The engine only serves the processes' sprofil calls, without a profile or an analyst. It
	 * ends when no process profiles any more, and detaches from a process that calls exec.
	 */
	bool serve_only;
	int ready_fd; /* serve_only: gets the answer to the helper's start; the engine closes it */
	struct histogram *histogram; /* --region: counters held by the supervisor; NULL: none */
	bool no_realtime;            /* --no-realtime */
	bool own_session;            /* setsid(2) when sampling begins (own_session.h) */
	bool restrict_fast;          /* a shorter tick than usual (PROF_FAST) fails with EACCES */
	uint64_t period_ns;          /* CPU time between two samples */
	uint64_t delay_ns;           /* before the first sample */
	uint64_t duration_ns;        /* 0: unlimited */
	uint64_t rotate_ns;          /* time of one file (--rotate); 0: there is one file */
	/* the file size at which the analyst asks for a new file; 0: it never asks */
	uint64_t rotate_bytes;
	bool ring;                          /* --ring: profiles of rotate_ns each, kept in memory */
	const struct engine_server *server; /* gets parts of the profile; NULL: none */
	bool snapshots;                     /* SIGUSR2 writes the profile so far */
	/* Bound on the cost of sampling, in millionths of the target's CPU time; 0: none. */
	uint32_t max_cost_ppm;
	/*
	 * Bound on the CPU time of the supervisor and the analyst, in millionths of one CPU; 0:
	 * none. At periods shorter than max_cpu_period_ns it is proportionally higher.
	 */
	uint32_t max_cpu_ppm;
	uint64_t max_cpu_period_ns;
	struct launch_state inherited; /* restored in the command */
	/* signals to the supervisor end the profiling even while a command runs */
	bool signals_end;
	const char *const *analyst; /* argv of the analyst; argv[0] is its path; NULL: no analyst */
	uint64_t ring_bytes;        /* a power of two */
	bool wall;                  /* examine blocked threads too */
	bool wall_first;  /* with @wall: a sample stands for a period of wall-clock time */
	size_t max_stack; /* maximum bytes of a stack to copy; 0: no stacks */
	/*
	 * Called by the thread of engine_run() when the tracing thread, and perhaps the target,
	 * hangs (watchdog.h). Must end this process, or exec: only that lets the target continue. A
	 * pid is 0 if there is no command or analyst. NULL: this process ends.
	 */
	void (*hangs)(void *context, int command_pid, int analyst_pid);
	/*
	 * Called once by the tracing thread, outside stop windows, when the processes are attached
	 * to, or the command has reached its exec. @processes: how many are traced. May be NULL.
	 */
	void (*begun)(void *context, size_t processes);
	/*
	 * Called just before this process stops because the command has stopped. Set if the command
	 * has its own terminal, as this process then does not get the terminal's signals. NULL: the
	 * command has this process's terminal.
	 */
	void (*stops)(void *context);
	/*
	 * Called when all processes are detached, before the analyst is told that this is the end.
	 * @pids: the profiled processes that live on. May block. May be NULL.
	 */
	void (*released)(void *context, const int *pids, size_t n);
	/* Prints one line, passed without a newline. Called outside stop windows only. */
	void (*say)(void *context, enum say_kind kind, const char *line);
	void *context;
};

struct engine_result {
	int error;          /* 0, or -errno: profiling could not begin */
	int exec_error;     /* errno if the command could not be executed, else 0 */
	int refused_pid;    /* with error: the process that refused; 0: none */
	int command_pid;    /* 0: none */
	bool command_apart; /* the command has its own session: the terminal sends it no signals */
	bool command_ended; /* command_status is valid */
	int command_status;
	bool target_ended; /* no process of the target is left; target_status is valid */
	int target_status; /* wait status of the process that ended last */
	int analyst_pid;   /* still to be waited for; 0: none */
	/*
	 * The analyst's request pipe. While it is open, the analyst may wait for a reader of its
	 * profile. The caller closes it; -1: none.
	 */
	int analyst_fd;
	int stopped_by; /* the signal that ended the profiling; 0: none */
};

/*
 * Blocks until the target is gone or detached, or profiling could not begin. All threads must block
 * the signals of signals_handled(). On return, all tracees are released, and the analyst has been
 * told to finish. The calling thread is the command's parent, and must outlive it (launch.h).
 */
void engine_run(const struct engine_options *options, struct engine_result *ret_result);

#endif
