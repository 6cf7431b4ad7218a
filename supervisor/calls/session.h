/* SPDX-License-Identifier: MIT */
/*
 * A session is the profiling of a process that called sprofil or profil: a table, with a clock of
 * its own. Each instant of that clock (sample/plan.h) at which a thread of the process is found
 * adds one tick at the thread's address.
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
	uint64_t counted; /* ticks whose counter was accessible, even if it was full */
	/*
	 * ticks that no region wants, that CALL_USER excludes, or whose counter cannot be written
	 */
	uint64_t dropped;
	uint64_t faults; /* counters that cannot be written */
	/* ticks kept for a stop, but lost: it came too late, or there was no room to keep them */
	uint64_t lost;
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
	/* Called when the tables in force, and perhaps their periods, have changed. */
	void (*changed)(void *context);
	/*
	 * Called when a table of @process comes into force: the CPU time that its threads have used
	 * so far is not counted.
	 */
	void (*begins)(void *context, const struct process *process);
	/* Reads the CPU time of the threads of @process anew (tracee->account.seen). */
	void (*see)(void *context, const struct process *process);
	/* Requests a stop of @tracee. False: that is not possible now. */
	bool (*interrupt)(void *context, struct tracee *tracee);
	void *context;
	unsigned n;
	unsigned threads;       /* number of sessions of single threads */
	unsigned elapsed;       /* number of sessions of elapsed time */
	uint64_t serial;        /* serial number of the last session created */
	unsigned unreported;    /* sessions that ended without a call; their programs do not know */
	bool untidy;            /* session_tidy() is due: some session's untidy is set */
	uint64_t write_at_ns;   /* CLOCK_MONOTONIC: when session_poll() is due; 0: never */
	uint64_t idle_since_ns; /* CLOCK_MONOTONIC: since when there has been no session */
	struct session_figures figures;
};

/*
 * Ticks at one address, mostly of sleeping threads, that are kept until the next stop of the
 * process. A table of elapsed time may wait long for that stop, and has room for more addresses.
 */
struct session_left {
	uint64_t pc;
	uint64_t ticks;
};

#define SESSION_LEFT_MOST    8
#define SESSION_ELAPSED_MOST 256

struct session {
	struct region_table *table; /* of which the session holds a reference */
	unsigned stream;            /* the sampler's stream with this table's period */
	uint8_t *dead;              /* a bit for each region: its counters cannot be written */
	uint64_t rest_ns;           /* weight that has not made a whole tick yet */
	uint64_t serial;            /* unique for each session */
	struct session_left *left;
	unsigned left_n, left_room;
	struct session_tally tally;
	uint64_t write_at_ns; /* CLOCK_MONOTONIC: when a stop is requested to write @left */
	/* session of a process: weights of all instants that found one of its threads */
	uint64_t weighed_ns;
	/* session of a process: CPU time under this table of threads that have ended */
	uint64_t ran_ns;
	/* @dead or @off has changed: session_tidy() must rebuild the table, or end the session */
	bool untidy;
	bool off;        /* turned off, but not by a call: @reason says why */
	bool ended;      /* the session is over, and kept only until its end is reported */
	bool unreported; /* its end has not been reported to its program yet */
	enum call_reason reason;
};

static inline bool session_is_elapsed(const struct session *s)
{
	return s->table->flags & CALL_WALL;
}

/*
 * Puts a table in force in place of the process's previous one, for which nothing is written after
 * this call. @regions are copied. An empty or inactive table turns profiling off. Counting starts
 * at the next instant of the clock. Returns 0, or -ENOMEM or -EINVAL as region_table_new(); then
 * nothing has changed.
 */
int session_set(struct sessions *sessions, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/* Puts a table of one thread in force, in addition to its process's. Otherwise as session_set(). */
int session_set_thread(struct sessions *sessions, struct tracee *tracee, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/*
 * Call when @tracee has ended or is detached, before session_clear_thread() and after its CPU time
 * was last read: adds this CPU time to that of its process's session.
 */
void session_thread_ended(struct tracee *tracee);

/*
 * Ends the session of the process, if there is one, and those of its threads. If the parent still
 * has the same table, ticks that this process has lost (session_status()) are reported as the
 * parent's.
 */
void session_clear(struct sessions *sessions, struct process *process);
/* Ends the session of one thread. */
void session_clear_thread(struct sessions *sessions, struct tracee *tracee);

/*
 * Returns the state of profiling of @process, and marks it as reported. @end: profiling is being
 * turned off. Lost ticks are of two kinds. Some could not be kept until a stop; with @end, those
 * that are still kept are lost as well. The others are CPU time that no instant has found so far,
 * except for one tick of each thread; the next ticks may still make up for them (sample/ticks.h).
 */
void session_status(struct sessions *sessions, struct process *process, bool end,
	struct call_status *ret_status);

/* Gives @child, which was forked, vforked or cloned from @parent, the profiling of @parent. */
void session_fork(struct sessions *sessions, const struct process *parent, struct process *child);

/*
 * Rebuilds tables of which session_tick() has found regions that cannot be written, and ends
 * sessions that were turned off. Not in the stop window.
 */
void session_tidy(struct sessions *sessions);

/* Returns the period of the tables that count with the instants of @stream; 0: none. */
uint64_t session_period_ns(const struct sessions *sessions, unsigned stream);

#endif
