/* SPDX-License-Identifier: MIT */
/*
 * What is counted for a process that called sprofil or profil: its table, and what its threads'
 * CPU time has not been counted yet. A session is one more consumer of the threads' ticks, with a
 * period of its own; it counts whole periods and keeps the rest.
 *
 * A forked child gets a session of its own with the same table, which is shared. exec ends it.
 */
#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
#include "supervisor/calls/region.h"

struct engine;
struct process;
struct tracee;

/* Ticks that a thread owed at its end. */
struct session_left {
	uint64_t pc; /* where it was last seen, 0 never */
	uint64_t ticks;
};

#define SESSION_LEFT_MOST 8

struct session {
	struct region_table *table; /* a reference */
	uint8_t *dead;              /* a bit for each region that was turned off */
	struct session_left
		left[SESSION_LEFT_MOST]; /* of threads that ended; the next count takes them in */
	unsigned left_n;
	uint32_t serial; /* threads with another one have no account in it yet */
	bool untidy;     /* regions have died, or all is off: session_tidy() */
	bool off;        /* all of it was turned off: by a fault, or a counter at 32767 */
};

/* A thread's account in the session of its process. */
struct session_account {
	uint32_t serial;
	uint64_t paid_ns; /* run time up to which periods have been counted */
	uint64_t rest_ns; /* less than a period, plus the random phase that it began with */
	uint64_t last_pc; /* where it was last seen in a stop, 0 never */
	bool opening;  /* it begins with the stop that was asked for: until then nothing is owed */
	bool settling; /* a call waits for its stop, in which what it owes is counted */
};

/*
 * Puts a table in force in place of the one before, of which nothing is written any more after
 * this. An empty or inactive one turns profiling off. 0 or -ENOMEM, then nothing has changed.
 * @tid called, and waits for the answer. Threads that run are asked for a stop, which tells
 * what they have used so far: what came before does not count.
 */
int session_set(struct engine *engine, struct process *process, int tid, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/*
 * Before a call of thread @tid replaces or ends the session: the whole periods that its threads
 * still owe. Those of sleeping threads are counted at once, where they sleep. Running ones, and the
 * caller if it owes something, are asked for a stop, in which they are counted. sampler_collect()
 * is to follow.
 */
void session_settle(struct engine *engine, struct process *process, int tid);

/*
 * Is there a thread that session_settle() asked, that has not stopped yet, and whose stop would
 * count something? One that does not stop at once waits for a CPU, so its figure is exact, and most
 * owe nothing. While ticks of threads that ended are left, any of them will do: its stop takes them
 * in.
 * *@ret_owed: the ticks that are lost if the session is replaced now.
 */
bool session_settling(struct engine *engine, const struct process *process, uint64_t *ret_owed);

/* Ends the session, if there is one. */
void session_clear(struct engine *engine, struct process *process);

/* @child has been forked, vforked or cloned from @parent: it goes on being profiled. */
void session_fork(struct engine *engine, const struct process *parent, struct process *child);

/*
 * A thread is a zombie: the ticks that it still owes will be counted where it was last seen, in the
 * next stop of another one (only then can the memory be reached safely); those of one that was
 * never seen, where that other one stands.
 */
void session_thread_ended(struct engine *engine, struct tracee *tracee);

/* Is a stop of @tracee, which seems to be running, worth it for its session? */
bool session_due(struct engine *engine, struct tracee *tracee, uint64_t now_ns);

/*
 * Does it owe a whole tick by what the kernel has charged to it, running or waiting for a CPU? The
 * counts must add up over short times too, so such a one is asked although it has to wait.
 */
bool session_owed(struct engine *engine, struct tracee *tracee);

/*
 * Stop window: @tracee stands at @pc and has run for @run_ns. Counts its whole periods, in its
 * buffers, before it goes on.
 */
void session_count(struct engine *engine, struct tracee *tracee, uint64_t run_ns, uint64_t pc);

/* Outside of the stop window: makes good use of what session_count() found to be off. */
void session_tidy(struct engine *engine);

/* The period at which threads must be looked at for all sessions, 0 when there is none. */
uint64_t session_look_ns(const struct engine *engine);

#endif
