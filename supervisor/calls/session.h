/* SPDX-License-Identifier: MIT */
/*
 * What is counted for a process that called sprofil or profil: its table, with a clock of its own.
 * Each instant of that clock (sample/plan.h) that finds a thread of the process adds one tick at
 * its place.
 *
 * A forked child gets a session of its own with the same table, which is shared. exec ends it.
 * A thread may have another one of its own (CALL_THREAD), which a fork does not inherit.
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

/* What became of the ticks of all tables. */
struct session_figures {
	uint64_t counted; /* went into a counter */
	uint64_t dropped; /* no region wanted them, or their counter cannot be written */
	uint64_t faults;  /* counters that cannot be written */
	uint64_t lost;    /* owed to a table that could not wait for them any longer */
};

/* The same of one table, as its program is told (proto/call.h). */
struct session_tally {
	uint64_t counted, outside, full, faulted, lost;
};

/* All sessions of the target. */
struct sessions {
	struct target *target;
	const struct say *say;
	unsigned streams; /* the sampler's: 1 to @streams - 1 are for tables, 0 is the profile's */
	/* The tables in force are others, and so perhaps are their periods. */
	void (*changed)(void *context);
	/* A table of @process is put in force: what its threads have run until now is not in it. */
	void (*begins)(void *context, const struct process *process);
	/* Stops @tracee when it can. */
	void (*interrupt)(void *context, struct tracee *tracee);
	void *context;
	unsigned n;
	unsigned threads;       /* of them, those of single threads */
	unsigned elapsed;       /* of them, those of elapsed time */
	uint64_t serial;        /* of the table that was made last */
	unsigned untold;        /* that have ended by themselves, and whose program was not told */
	bool untidy;            /* one of them is */
	uint64_t idle_since_ns; /* since when there is none */
	struct session_figures figures;
};

/* Ticks of threads that had gone to sleep: the next stop of the process takes them in. Of elapsed
 * time there may be none for long: its table has room for more places. */
struct session_left {
	uint64_t pc;
	uint64_t ticks;
};

#define SESSION_LEFT_MOST    8
#define SESSION_ELAPSED_MOST 256

struct session {
	struct region_table *table; /* a reference */
	unsigned stream;            /* of the sampler, with this table's period */
	uint8_t *dead;              /* a bit for each region that was turned off */
	uint64_t rest_ns;           /* weights that do not make up a tick yet */
	uint64_t serial;            /* no two tables have the same */
	struct session_left *left;
	unsigned left_n, left_room;
	struct session_tally tally;
	bool untidy; /* regions have died, or all is off: session_tidy() */
	bool off;    /* all of it was turned off, not by a call: @reason */
	bool ended;  /* and is kept only to tell that */
	bool untold; /* it has not been told yet */
	enum call_reason reason;
};

/*
 * Puts a table in force in place of the one before, of which nothing is written any more after
 * this. An empty or inactive one turns profiling off. 0 or -ENOMEM, then nothing has changed.
 * It counts from the next instant of its clock on.
 */
int session_set(struct sessions *sessions, struct process *process, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/* The same of a table for one thread alone, beside that of its process. */
int session_set_thread(struct sessions *sessions, struct tracee *tracee, enum call_dialect dialect,
	uint32_t flags, unsigned element, const struct call_region *regions, uint32_t count);

/* Ends the session, if there is one, and those of the process's threads. */
void session_clear(struct sessions *sessions, struct process *process);
/* Ends that of one thread. */
void session_clear_thread(struct sessions *sessions, struct tracee *tracee);

/* How profiling of @process stands; it is being told that. @end: it is being turned off. */
void session_status(struct sessions *sessions, struct process *process, bool end,
	struct call_status *ret_status);

/* @child has been forked, vforked or cloned from @parent: it goes on being profiled. */
void session_fork(struct sessions *sessions, const struct process *parent, struct process *child);

/*
 * Stop window: @tracee stands at @pc, @in_call: in a system call, at an instant of @stream that
 * weighs @weight_ns. Counts it, in the process's buffers, for its tables that have that clock.
 */
void session_tick(struct sessions *sessions, struct tracee *tracee, unsigned stream, uint64_t pc,
	bool in_call, uint64_t weight_ns);

/* The same of a thread that sleeps there: counted with the next stop, for only then can it be
 * reached. */
void session_tick_asleep(struct sessions *sessions, struct tracee *tracee, unsigned stream,
	uint64_t pc, uint64_t weight_ns);

/*
 * @tracee, which is not stopped, had @cpu of CPU time at @now_ns, and is blocked at *@pc, or runs:
 * NULL. Tables of elapsed time take what it was off its CPU.
 */
void session_elapse(struct sessions *sessions, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t now_ns, const uint64_t *pc);
/* The shorter period of the tables of elapsed time that are for @tracee, 0: there is none. */
uint64_t session_elapsed_period_ns(const struct tracee *tracee);

/*
 * @tracee asks how it stands: if there is something that only a stop lets count, it is interrupted
 * before it can see an answer that is given after this.
 */
void session_ask_stop(struct sessions *sessions, struct tracee *tracee);
/* Stop window: @tracee is stopped, so what sleeping threads of its process left can be counted. */
void session_catch_up(struct sessions *sessions, struct tracee *tracee);

/* Outside of the stop window: makes good use of what session_tick() found to be off. */
void session_tidy(struct sessions *sessions);

/* The period of the tables that count with the instants of @stream, 0: there are none. */
uint64_t session_period_ns(const struct sessions *sessions, unsigned stream);

#endif
