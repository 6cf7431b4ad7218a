/* SPDX-License-Identifier: MIT */
/*
 * What the sampler knows: of threads, of CPUs, of itself. For the files of this folder; the engine
 * calls sampler.h, and sets @realtime, @timer_ns and @factor_1024.
 *
 * What a sample takes from its thread is nobody's time, so no instant may fall into it:
 *
 *	it runs │ we have its CPU │ it is stopped │ it waits for its CPU │ it runs
 *	        └────────────────────── held ────────────────────────────┘
 *	                          └───── stop ────┘
 *
 * held_ns and stop_ns are what that usually takes. By them the plans are shifted at once: that is
 * left out. What we had of a CPU for other work is left out, too. At the next stop of a thread that
 * ran all the time, the CPU time that it did not get tells what was really taken: the difference is
 * owed, and is left out next.
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
	/* The scheduler's stamp of its leaving: we replaced it, or it had the CPU at the instant.
	 */
	SAMPLE_BY_STAMP,
	/* It waited for its CPU just as long as we had that; known after the stop. */
	SAMPLE_BY_WAIT,
};

/* An instant that found a thread, and those that found it in the same call until it stops. */
struct sample_order {
	enum sample_proof proof;
	bool slow;        /* we came too late to have preempted a thread that gives up its CPU */
	bool called;      /* the keeper rang: the end of a call may have let us in */
	bool asleep;      /* it has gone to sleep since: it is sampled without a stop */
	unsigned cpu;     /* index of the CPU */
	unsigned streams; /* a bit for each stream whose instant it is */
	uint64_t weight_ns[PLAN_STREAMS];
	uint64_t lost_ns[PLAN_STREAMS]; /* the part of the weight that stands for lost instants */
	uint64_t woke_ns;               /* CLOCK_MONOTONIC: when we had the CPU */
	struct cpu_time before;         /* its CPU time at the first of its instants */
	struct activity activity;       /* asleep: where */
};

/* Between a table and a thread: are its ticks as many as its CPU time has? */
struct sample_account {
	uint64_t began_ns;  /* its CPU time when the table was put in force; 0: it began later */
	uint64_t ticked_ns; /* its CPU time when it was last counted; 0 not yet */
	int64_t owed_ns;    /* what it has run since its first tick, less what was counted since */
};

/*
 * The keeper rings for a thread after so many samples in a row without a system call. The kernel
 * acts on a ring at the end of a call, even if that comes before the interrupt, so a sample in a
 * call after a ring is lost. Of 16 in 4,000 samples that makes one; after 64 instead of 128, two.
 */
#define SAMPLE_UNCALLED 128

/* One thread, as the sampler knows it. Embedded or owned by the caller; see sampler_add(). */
struct sample_thread {
	void *owner;
	struct sample_thread *newer, *older; /* by when they were last met */
	size_t slot;
	int cpu;                 /* index of the CPU where it was last met, -1 none */
	unsigned near;           /* samples to come, none in a call, before the keeper may ring */
	unsigned flights;        /* how often it stood in a call when the keeper had rung */
	struct cpu_time seen;    /* at the last instant that asked */
	uint64_t asked_ns;       /* when it was last asked whether it has run; 0 never */
	struct cpu_time asked;   /* its CPU time at asked_ns */
	bool asked_running;      /* when last asked, it was on a CPU or waited for one */
	bool naps;               /* when last seen asleep, it slept for a time */
	struct cpu_time resumed; /* its CPU time in its last sample's stop */
	uint64_t resumed_ns;     /* CLOCK_MONOTONIC: the end of that stop; 0 there was none */
	struct sample_account account[PLAN_STREAMS]; /* of each table */
	unsigned steady;           /* did it have its CPU all the time between its last stops? */
	bool stopping;             /* its stop was asked for, and has not been seen yet */
	struct sample_order order; /* of the stop that is awaited */
};

/* From where a CPU's threads are stopped. Decided by the past alone. */
enum sample_way {
	SAMPLE_WAITER,  /* a thread that waits on that CPU holds it until the interrupt is sent */
	SAMPLE_AWAITED, /* the same, and the tracing thread is awake by then, on another CPU */
	SAMPLE_HOSTED,  /* the tracing thread waits there itself */
	SAMPLE_UNUSED,  /* not looked at: the target's only thread is known to be elsewhere */
};

/* The whole of sample_cpu.at_work. */
#define AT_WORK 4096
/*
 * A thread is steady that had its CPU all the time between at least so many stops in a row; then
 * one stop of so many may be otherwise, as daemons of the kernel come by on every CPU. What counts
 * is up to SAMPLE_STEADY_MOST.
 */
#define SAMPLE_STEADY      16
#define SAMPLE_STEADY_MOST 64
/* It waits while we have its CPU, and so long at most to be switched to, and from. */
#define SAMPLE_WAKE_NS 60000

struct sample_cpu {
	int number; /* of the machine */
	enum sample_way way;
	struct plan plan;
	struct sample_thread *last;        /* met at the last instant, NULL nobody */
	uint32_t recent;                   /* how often somebody was met here lately (ways.c) */
	int32_t at_work;                   /* the part of instants that met somebody, of AT_WORK */
	unsigned failures;                 /* of proofs after a stop; halved as time goes */
	struct sample_thread *resumed;     /* the last one that was stopped here */
	uint64_t had_ns;                   /* how long the supervisor had it since that stop, */
	unsigned let_go;                   /* and how often the supervisor released the CPU since */
	int64_t left_out_ns[PLAN_STREAMS]; /* what the plans left out since that stop */
	int64_t owed_ns; /* by so much the profile's plan is shifted with the next leave_out() */
};

struct sample_figures {
	uint64_t instants;  /* of the profile */
	uint64_t late;      /* came too late, or fell into work of ours: not used */
	uint64_t unproved;  /* stops of threads that, it turned out, had not been on the CPU */
	uint64_t throttled; /* left out for a bound */
};

/* Between two stops of a thread: wall time, and what sampling took of that. */
struct sample_loss {
	uint64_t apart_ns, lost_ns;
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
	uint64_t timer_ns;             /* what a thread takes to program its CPU's timer */
	uint64_t usual_late_ns;        /* a quarter of the instants comes sooner after its time */
	uint64_t factor_1024;    /* slots are longer than the period by this, to keep bounds */
	uint64_t stretched_1024; /* of an instant: left out by that, and not yet in the figures */
	struct sample_thread **thread;
	size_t threads, room;
	struct sample_thread *newest, *oldest;
	struct sample_thread *met; /* at the last instant that met anybody, on whatever CPU */
	unsigned same;             /* instants in a row that met that thread */
	uint32_t company;          /* a bit for each of the last 32 looks: others were runnable */
	uint64_t held_ns;          /* how much of its time a sample usually takes from a thread */
	uint64_t stop_ns;          /* how much of that it is stopped */
	uint64_t ask_ns;           /* what it takes to ask a thread whether it was on the CPU */
	int64_t tables_owed_ns[PLAN_STREAMS]; /* owed_ns of the tables, one for all CPUs */
	unsigned host;                        /* index of the CPU where the tracing thread waits */
	int keeper; /* index of the CPU that must not be idle when a thread of the host's CPU is let
		       go on from its stop; -1 none */
	bool rings; /* its waiter calls the host for its instants */
	unsigned errands, own_errands; /* its work since it slept: for other CPUs, its own */
	uint64_t ways_next_ns;         /* when to decide the ways again */
	unsigned barred;               /* index of a CPU that does not become the host */
	uint64_t barred_until_ns;      /* before this */
	struct sample_loss loss; /* of the last thread that was uninterrupted, sampler_resumed() */
	struct sample_figures figures;
};

/* Is it @cpu's only thread that is sampled, and does it stay there? */
static inline bool sampler_is_kept(const struct sampler *sampler, unsigned cpu)
{
	return sampler->keeper >= 0 && cpu == sampler->host;
}

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
