/* SPDX-License-Identifier: MIT */
/*
 * The profiling of a process that called sprofil or profil: a table, with a clock of its own. Each
 * instant of that clock (sample/plan.h) at which a thread of the process is found adds one tick at
 * the thread's address.
 *
 * A forked child gets a session of its own, which shares the table. exec ends the session. A thread
 * may have an additional session (CALL_THREAD), which a fork does not inherit.
 */
#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/region.h"

struct cpu_time;
struct process;
struct say;
struct target;
struct tracee;

/* What happened to the ticks of all tables. */
struct session_figures {
	uint64_t counted; /* their counter was accessible; full counters included */
	/* wanted by no region, excluded (CALL_USER), or their counter cannot be written */
	uint64_t dropped;
	uint64_t faults; /* counters that cannot be written */
	uint64_t lost;   /* owed to a table that ended before they could be written */
};

/* What happened to the ticks of one table, as reported to its program (proto/call.h). */
struct session_tally {
	uint64_t counted, outside, full, faulted, lost;
};

/* All sessions of the target. */
struct sessions {
	struct target *target;
	const struct say *say;
	unsigned streams; /* of the sampler: 1 to @streams - 1 are for tables, 0 is the profile's */
	/* The tables in force have changed, and perhaps their periods. */
	void (*changed)(void *context);
	/*
	 * A table of @process comes into force: the CPU time of its threads so far is not counted.
	 */
	void (*begins)(void *context, const struct process *process);
	/* Reads the CPU time of the threads of @process anew (tracee->account.seen). */
	void (*see)(void *context, const struct process *process);
	/* Stops @tracee when possible. */
	void (*interrupt)(void *context, struct tracee *tracee);
	void *context;
	unsigned n;
	unsigned threads;     /* number of sessions of single threads */
	unsigned elapsed;     /* number of sessions of elapsed time */
	uint64_t serial;      /* serial number of the last session created */
	unsigned unreported;  /* sessions that ended by themselves and whose program does not know
				 yet */
	bool untidy;          /* some session is untidy */
	uint64_t write_at_ns; /* CLOCK_MONOTONIC: when session_poll() has something to do, 0 not */
	uint64_t idle_since_ns; /* CLOCK_MONOTONIC: since when there has been no session */
	struct session_figures figures;
};

/*
 * Ticks of threads that have gone to sleep: counted at the next stop of the process. A table of
 * elapsed time may wait long for that stop, and has room for more addresses.
 */
struct session_left {
	uint64_t pc;
	uint64_t ticks;
};

#define SESSION_LEFT_MOST    8
#define SESSION_ELAPSED_MOST 256

struct session {
	struct region_table *table; /* a reference */
	unsigned stream;            /* the sampler's stream with this table's period */
	uint8_t *dead;              /* a bit for each region that was turned off */
	uint64_t rest_ns;           /* weight less than a whole tick */
	uint64_t serial;            /* unique for each session */
	struct session_left *left;
	unsigned left_n, left_room;
	struct session_tally tally;
	uint64_t write_at_ns; /* CLOCK_MONOTONIC: when a stop is requested for what is left */
	/* session of a process: weights of all instants that found one of its threads */
	uint64_t weighed_ns;
	uint64_t ran_ns; /* CPU time, since they began to count, of threads that have ended */
	bool untidy;     /* regions were turned off, or all of it: session_tidy() is due */
	bool off;        /* turned off, but not by a call: @reason says why */
	bool ended;      /* over, and kept only to report that */
	bool unreported; /* its end has not been reported yet */
	enum call_reason reason;
};

static inline bool session_is_elapsed(const struct session *s)
{
	return s->table->flags & CALL_WALL;
}

/*
 * Puts a table in force in place of the previous one, for which nothing is written after this call.
 * An empty or inactive table turns profiling off. Counting starts at the next instant of the clock.
 * Returns 0, or -ENOMEM or -EINVAL as region_table_new(), in which case nothing has changed.
 */
int session_set(struct sessions *sessions, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/* Puts a table of one thread in force, in addition to its process's. Otherwise as session_set(). */
int session_set_thread(struct sessions *sessions, struct tracee *tracee, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/*
 * @tracee has ended or is detached, and its account's last reading is final. To be called before
 * its own session is cleared.
 */
void session_thread_ended(struct tracee *tracee);

/*
 * Ends the session of the process, if there is one, and those of its threads. What a forked child
 * lacks counts as its parent's from now on, if that has the same table still.
 */
void session_clear(struct sessions *sessions, struct process *process);
/* Ends the session of one thread. */
void session_clear_thread(struct sessions *sessions, struct tracee *tracee);

/*
 * Returns the state of profiling of @process, and marks it as reported. @end: profiling is being
 * turned off. Lost ticks are those that were dropped, and those of CPU time that has passed without
 * an instant so far, beyond one for each thread: the account of the next tick may still make up for
 * some of these (sample/ticks.h).
 */
void session_status(struct sessions *sessions, struct process *process, bool end,
	struct call_status *ret_status);

/* @child was forked, vforked or cloned from @parent, and inherits its profiling. */
void session_fork(struct sessions *sessions, const struct process *parent, struct process *child);

/* Outside the stop window: applies what session_tick() found out about regions that are off. */
void session_tidy(struct sessions *sessions);

/* The period of the tables that count with the instants of @stream; 0: none. */
uint64_t session_period_ns(const struct sessions *sessions, unsigned stream);

#endif
