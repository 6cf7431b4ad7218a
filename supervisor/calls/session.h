/* SPDX-License-Identifier: MIT */
/*
 * A session is the profiling of a process that called sprofil or profil: a table, and a stream of
 * sampling instants (sample/plan.h). If an instant finds a thread of the process on a CPU, the
 * counter of the thread's address gets a tick.
 *
 * A forked child gets a session of its own with the parent's table; exec ends the session. A thread
 * may have a further session (CALL_THREAD), which a fork does not inherit.
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
	uint64_t dropped; /* ticks in no region, in calls (CALL_USER), or whose counter faulted */
	uint64_t faults;  /* additions to inaccessible counters */
	uint64_t lost;    /* ticks for which there was no stop in time, or no room to keep them */
};

/* What happened to the ticks of one table: the fields of a status (proto/call.h). */
struct session_tally {
	uint64_t counted, outside, full, faulted, lost;
};

struct sessions {
	struct target *target;
	const struct say *say;
	unsigned streams; /* number of streams: 0 is for the profile, the others are for tables */
	/* Called when the tables in force have changed. */
	void (*changed)(void *context);
	/* Called when a table of @process comes into force; earlier CPU time is not counted. */
	void (*begins)(void *context, const struct process *process);
	/* Reads the CPU time of the threads of @process anew (tracee->account.seen). */
	void (*see)(void *context, const struct process *process);
	/* Requests a stop of @tracee. False: that is not possible now. */
	bool (*interrupt)(void *context, struct tracee *tracee);
	void *context;
	unsigned n;
	unsigned threads;       /* number of sessions of single threads */
	unsigned elapsed;       /* number of sessions that count elapsed time (CALL_WALL) */
	uint64_t serial;        /* serial number of the last session created */
	unsigned unreported;    /* sessions whose end, not by a call, is not reported yet */
	bool untidy;            /* session_tidy() is due: @untidy is set in some session */
	uint64_t write_at_ns;   /* CLOCK_MONOTONIC: when session_poll() is due; 0: never */
	uint64_t idle_since_ns; /* CLOCK_MONOTONIC: since when there has been no session */
	struct session_figures figures;
};

/*
 * Ticks at one address, mostly of sleeping threads, kept until the next stop of the process. That
 * stop may be far off if elapsed time is counted (CALL_WALL): such a session keeps more addresses.
 */
struct session_left {
	uint64_t pc;
	uint64_t ticks;
};

#define SESSION_LEFT_MOST    8
#define SESSION_ELAPSED_MOST 256

struct session {
	struct region_table *table; /* the session holds a reference */
	unsigned stream;            /* the sampler's stream with this table's period */
	uint8_t *dead;              /* a bit for each region: a counter was inaccessible */
	uint64_t rest_ns;           /* weights not counted as ticks yet, in ns; less than a tick */
	uint64_t serial;            /* unique for each session */
	struct session_left *left;
	unsigned left_n, left_room;
	struct session_tally tally;
	uint64_t write_at_ns; /* CLOCK_MONOTONIC: when a stop is requested to write @left */
	uint64_t weighed_ns;  /* of a process: sum of the weights of all hits of its threads */
	uint64_t ran_ns; /* of a process: CPU time of ended threads and children with this table */
	bool untidy;     /* @dead or @off has changed: session_tidy() is due */
	bool off;        /* turned off, but not by a call: @reason says why */
	bool ended;      /* kept only until the end is reported to the program */
	bool unreported; /* the end has not been reported yet */
	enum call_reason reason;
};

static inline bool session_is_elapsed(const struct session *s)
{
	return s->table->flags & CALL_WALL;
}

/*
 * Puts a table in force in place of the process's previous one, whose counters no longer change.
 * @regions are copied. An empty or inactive table turns profiling off. Returns 0; or -ENOMEM or
 * -EINVAL as region_table_new() does, and nothing has changed.
 */
int session_set(struct sessions *sessions, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/* session_set() for a table of one thread, beside the table of its process. */
int session_set_thread(struct sessions *sessions, struct tracee *tracee, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/*
 * Adds the CPU time of @tracee to the session of its process. Call it when @tracee has ended or is
 * detached, after its CPU time was last read and before session_clear_thread().
 */
void session_thread_ended(struct tracee *tracee);

/*
 * Ends the sessions of the process and of its threads. If the parent still has the same table, the
 * parent's status reports the ticks that this process has lost (session_status()).
 */
void session_clear(struct sessions *sessions, struct process *process);
void session_clear_thread(struct sessions *sessions, struct tracee *tracee);

/*
 * Gets the state of profiling of @process, and marks its end as reported. @end: profiling is being
 * turned off. Lost ticks are of two kinds: ticks that could not be kept until a stop, with @end
 * also those still kept; and ticks that are missing for CPU time already used. Of the missing ones,
 * one tick of each thread is left out, as its instant is still to come. Later ticks may make up for
 * the rest (sample/ticks.h).
 */
void session_status(struct sessions *sessions, struct process *process, bool end,
	struct call_status *ret_status);

/* Gives @child, which was forked, vforked or cloned from @parent, the profiling of @parent. */
void session_fork(struct sessions *sessions, const struct process *parent, struct process *child);

/*
 * Rebuilds tables with new @dead regions; ends sessions that are @off. Do not call this in the stop
 * window: it allocates memory.
 */
void session_tidy(struct sessions *sessions);

/* Returns the period of the tables with @stream; 0: no such table. */
uint64_t session_period_ns(const struct sessions *sessions, unsigned stream);

#endif
