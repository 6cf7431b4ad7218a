/* SPDX-License-Identifier: MIT */
/*
 * What the sampler knows: of threads, of CPUs, of itself. For those that take part in a choice
 * (sampler.c, observe.c); others call sampler.h.
 */
#ifndef SUPERVISOR_SAMPLER_STATE_H
#define SUPERVISOR_SAMPLER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
#include "supervisor/sample/plan.h"
#include "supervisor/sample/probe.h"

/* How it is shown that a thread was on the CPU at the instant. */
enum sample_proof {
	SAMPLE_BY_STAMP, /* the scheduler's time stamps of it and of us are the same: it was
			    replaced */
	SAMPLE_BY_WAIT,  /* it waited for its CPU just as long as we had it; known after the stop */
	SAMPLE_BY_SLICE, /* it was interrupted from another CPU, and was not put on one in between
			  */
};

/* An instant that found a thread. */
struct sample_order {
	enum sample_proof proof;
	bool slow;        /* we came too late to have preempted a thread that gives up its CPU */
	bool asleep;      /* it has gone to sleep since: it is sampled without a stop */
	unsigned cpu;     /* index of the CPU */
	unsigned streams; /* a bit for each stream whose instant it is */
	uint64_t weight_ns[PLAN_STREAMS];
	uint64_t lost_ns[PLAN_STREAMS]; /* the part of the weight that stands for lost instants */
	uint64_t woke_ns;               /* CLOCK_MONOTONIC: when we had the CPU */
	struct cpu_time
		before; /* with SAMPLE_BY_WAIT and SAMPLE_BY_SLICE: reading before the stop */
	unsigned turns; /* how often it was put on a CPU since, as far as we know */
	struct activity activity; /* asleep: where */
};

/* One thread, as the sampler knows it. Embedded or owned by the caller; see sampler_add(). */
struct sample_thread {
	void *owner;
	struct sample_thread *newer, *older; /* by when they were last met */
	size_t slot;
	int cpu;                 /* index of the CPU where it was last met, -1 none */
	uint64_t calls;          /* a bit for each of its last 64 samples: in a system call */
	unsigned near;           /* samples to come before it is interrupted from afar again, */
	unsigned flights;        /* as so often a call fell into the interrupt's flight */
	struct cpu_time seen;    /* at the last instant that asked */
	uint64_t asked_ns;       /* when it was asked last whether it has run; 0 never */
	uint64_t asked_run_ns;   /* its CPU time then, */
	bool asked_running;      /* and was it on a CPU, or waiting for one? */
	struct cpu_time resumed; /* at its last stop, which was over at */
	uint64_t resumed_ns;     /* CLOCK_MONOTONIC; 0 there was none */
	uint64_t ticked_ns[PLAN_STREAMS]; /* its CPU time when each table last counted it */
	unsigned steady;           /* stops in a row between which it had its CPU all the time */
	bool stopping;             /* its stop was asked for, and has not been seen yet */
	struct sample_order order; /* of the stop that is awaited */
};

/* From where a CPU's threads are stopped. Decided by the past alone. */
enum sample_way {
	SAMPLE_WAITER,  /* a thread that waits on that CPU holds it until the interrupt is sent */
	SAMPLE_AWAITED, /* the same, and the tracing thread is awake on another CPU when it wakes up
			 */
	SAMPLE_HOSTED,  /* the tracing thread waits there itself */
	SAMPLE_REMOTE,  /* the tracing thread interrupts from another CPU */
};

struct sample_cpu {
	int number; /* of the machine */
	enum sample_way way;
	struct plan plan;
	struct sample_thread *last;        /* met at the last instant, NULL nobody */
	unsigned streak;                   /* instants in a row that met that thread here */
	uint32_t recent;                   /* how often somebody was met here lately, */
	int32_t at_work;                   /* and at which part of the instants, of AT_WORK */
	unsigned failures;                 /* of proofs after a stop; halved as time goes */
	struct sample_thread *resumed;     /* the last one that was stopped here */
	uint64_t had_ns;                   /* for how long it was the supervisor's since then */
	int64_t left_out_ns[PLAN_STREAMS]; /* what the plans have no instants for, since then */
	int64_t owed_ns; /* by which its profile is to be put off at the next instant */
};

struct sample_figures {
	uint64_t instants; /* of the profile */
	uint64_t late;     /* came too late, or fell into work of ours: not used */
	uint64_t
		unproved; /* stops that turned out to be of a thread that had not been on the CPU */
	uint64_t throttled; /* left out for a bound */
};

struct sampler {
	const struct probe *probe;
	void *context;
	struct plan_random random;
	struct sample_cpu *cpu;
	unsigned cpus;
	uint64_t period_ns[PLAN_STREAMS];
	uint64_t met_ns[PLAN_STREAMS]; /* when one of its instants last met somebody */
	bool realtime;                 /* we come at once */
	uint64_t factor_1024; /* slots are longer than the period by this, to keep bounds */
	struct sample_thread **thread;
	size_t threads, room;
	struct sample_thread *newest, *oldest;
	struct sample_thread *met; /* at the last instant that met anybody, on whatever CPU */
	unsigned same;             /* instants in a row that met that thread */
	uint32_t company;          /* a bit for each of the last 32 looks: others were runnable */
	uint64_t held_ns;          /* for how long a sample usually holds up its thread, */
	uint64_t stop_ns;          /* and for how long it is stopped */
	uint64_t ask_ns;           /* what it takes to ask a thread whether it was on the CPU */
	int64_t tables_owed_ns[PLAN_STREAMS]; /* the same of the tables, on all CPUs */
	unsigned host;                        /* index of the CPU where the tracing thread waits */
	unsigned errands, own_errands; /* its work for other CPUs' threads, and its own, lately */
	uint64_t ways_next_ns;         /* when to decide the ways again */
	struct sample_figures figures;
};

static inline bool sampler_has_tables(const struct sampler *sampler)
{
	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		if (sampler->period_ns[i])
			return true;
	return false;
}

/* @mean goes a sixteenth of the way to @value, which counts up to @most. */
static inline void sampler_follow(uint64_t *mean, uint64_t value, uint64_t most)
{
	*mean += ((int64_t)(value < most ? value : most) - (int64_t)*mean) / 16;
}

#endif
