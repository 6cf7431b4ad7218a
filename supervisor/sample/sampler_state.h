/* SPDX-License-Identifier: MIT */
/* What the sampler knows: of instants, hits, threads and CPUs. */
#ifndef SUPERVISOR_SAMPLER_STATE_H
#define SUPERVISOR_SAMPLER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/cpu_waiter.h"
#include "supervisor/os/procfs.h"
#include "supervisor/sample/plan.h"
#include "supervisor/sample/probe.h"

/* One instant of a CPU, as its waiter hands it over. */
struct sample_instant {
	unsigned cpu;        /* index */
	uint64_t planned_ns; /* CLOCK_MONOTONIC */
	uint64_t woke_ns;    /* when the waiter woke up for it */
	int error;           /* negative: the kernel does not tell @arrival */
	struct arrival arrival;
	struct plan_due due;
	/* The thread that was expected here, and its time stamp, read at expected_ns; NULL: none.
	 */
	struct sample_thread *expected;
	uint64_t expected_ns;
	struct turn turn;
};

/* A hit, from the instant until the thread's stop. */
struct sample_hit {
	unsigned cpu; /* index */
	bool slow;    /* we came too late to have preempted a thread that yields its CPU */
	bool asleep;  /* it was on its way to sleep: it is sampled without a stop */
	struct plan_due due;
	uint64_t woke_ns;
	struct cpu_time before;   /* its CPU time at the instant */
	struct activity activity; /* asleep: where */
};

/* Between a table and a thread: are its ticks as many as its CPU time has? (ticks.h) */
struct sample_account {
	uint64_t began_ns;  /* its CPU time when the table was put in force; 0: it began later */
	uint64_t ticked_ns; /* CPU time when a tick was last counted; 0 not yet */
	int64_t owed_ns;    /* what it has run since began_ns, less what was counted since */
};

/* One thread, as the sampler knows it. See sampler_add(). */
struct sample_thread {
	void *owner;
	struct sample_thread *newer, *older; /* by the time of the last hit */
	size_t slot;
	int cpu;                 /* index of the CPU on which it was last seen to run, -1 none */
	uint64_t recent_ns;      /* when a waiter last came and it was one of the last hits */
	uint64_t read_ns;        /* CLOCK_MONOTONIC: when its CPU time was last read; 0 never */
	struct cpu_time asked;   /* its CPU time when it was last read */
	bool busy;               /* when it was last asked it had run, and was not blocked */
	bool stopping;           /* its stop was requested, and has not been seen yet */
	struct cpu_time resumed; /* its CPU time in its last sample's stop */
	uint64_t resumed_ns;     /* CLOCK_MONOTONIC: the end of that stop; 0 there was none */
	struct sample_account account[PLAN_STREAMS];
	struct sample_hit hit;
};

struct sample_cpu {
	int number;                /* of the machine */
	int misses;                /* in a row; below 0 after a hit */
	struct sample_thread *hit; /* of the last hit here, NULL none */
	/* The last thread that was resumed here; what was taken from this CPU since, and how often.
	 */
	struct sample_thread *resumed;
	uint64_t occupied_ns;
	unsigned releases;
};

struct sample_figures {
	uint64_t instants;  /* of the profile */
	uint64_t late;      /* lost: too late, unproved, or the thread could not be stopped */
	uint64_t unproved;  /* of those: the thread has run before its stop was requested */
	uint64_t busy;      /* of those: the sampler was taken by others */
	uint64_t throttled; /* left out for a bound */
};

struct sampler {
	const struct probe *probe;
	void *context;
	struct plan_random random;
	struct sample_cpu *cpu;
	unsigned cpus;
	uint64_t period_ns[PLAN_STREAMS];
	bool realtime;           /* our threads preempt all of the fair class at once */
	uint64_t factor_1024;    /* the profile's periods are longer by this, to keep bounds */
	uint64_t busy_1024;      /* or by this factor, if one tracing thread cannot keep up */
	uint64_t turn_instants;  /* figures.instants at the last sampler_turn() */
	uint64_t stretched_1024; /* instants left out by these factors, not yet in the figures */
	struct sample_thread **thread;
	size_t threads, room;
	struct sample_thread *newest, *oldest;
	/* Moving averages, above 0: of the time to ask one thread, and to read a time stamp. */
	uint64_t ask_ns, stamp_ns;
	uint64_t others_ns, others_left_ns; /* up to then, so much time may be spent on others */
	int woken_cpu; /* index of a CPU whose gaps a miss elsewhere has made shorter; -1 none */
	struct sample_figures figures;
};

#endif
