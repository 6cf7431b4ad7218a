/* SPDX-License-Identifier: MIT */
/*
 * The sampler: whom to sample at an instant, and what the sample weighs. It knows neither ptrace
 *nor records; the world comes through a probe (probe.h), and the engine acts.
 *
 *	plan ──► instant ──► observe (probe) ──► order ──► stop, by the engine ──► judge ──► weight
 *
 * At each instant of a CPU (plan.h) one question is asked: which thread of the target was on this
 * CPU until the supervisor's wake-up took it? That thread is sampled where it stands, with the
 *weight that was planned. If it was nobody of the target, nothing happens. Nothing is owed, nothing
 *is made up for.
 *
 * docs/SAMPLING.md has the reasons and the figures.
 */
#ifndef SUPERVISOR_SAMPLER_H
#define SUPERVISOR_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"
#include "supervisor/sample/plan.h"
#include "supervisor/sample/probe.h"

#define SAMPLER_CPUS_MOST 1024

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
	bool asleep;      /* it has gone to sleep since: it is sampled without a stop */
	bool late;        /* the supervisor came late: it counts only if it was in a call */
	unsigned cpu;     /* index of the CPU */
	unsigned streams; /* a bit for each stream whose instant it is */
	uint64_t weight_ns[PLAN_STREAMS];
	uint64_t woke_ns; /* CLOCK_MONOTONIC: when we had the CPU */
	struct cpu_time
		before; /* with SAMPLE_BY_WAIT and SAMPLE_BY_SLICE: reading before the stop */
	struct activity activity; /* asleep: where */
};

/* One thread, as the sampler knows it. Embedded or owned by the caller; see sampler_add(). */
struct sample_thread {
	void *owner;
	struct sample_thread *newer, *older; /* by when they were last met */
	size_t slot;
	int cpu;                   /* index of the CPU where it was last met, -1 none */
	uint64_t calls;            /* a bit for each of its last 64 samples: in a system call */
	struct cpu_time seen;      /* at the last instant that asked */
	struct cpu_time resumed;   /* at its last stop, which was over at */
	uint64_t resumed_ns;       /* CLOCK_MONOTONIC; 0 there was none */
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
	struct sample_thread *last; /* met at the last instant, NULL nobody */
	unsigned streak;            /* instants in a row that met that thread here */
	uint32_t recent;            /* how often somebody was met here lately */
	unsigned failures;          /* of proofs after a stop; halved as time goes */
	struct sample_thread *resumed; /* the last one that was stopped here */
	uint64_t had_ns;               /* for how long it was the supervisor's since then */
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
	uint64_t held_ns;          /* for how long a sample usually holds up its thread, */
	uint64_t stop_ns;          /* and for how long it is stopped */
	int64_t tables_owed_ns[PLAN_STREAMS]; /* the same of the tables, on all CPUs */
	unsigned host;         /* index of the CPU where the tracing thread waits */
	uint64_t ways_next_ns; /* when to decide the ways again */
	struct sample_figures figures;
};

/* @numbers: the CPUs that may be looked at, @cpus of them. -ENOMEM. */
int sampler_init(struct sampler *sampler, const struct probe *probe, void *context,
	const int *numbers, unsigned cpus, uint64_t seed);
void sampler_release(struct sampler *sampler);

/* A stream's period from now on; 0 ends it. Stream 0 is the profile's. */
void sampler_set_period(
	struct sampler *sampler, unsigned stream, uint64_t period_ns, uint64_t now_ns);

/* Begins with a thread, which is likely to be running. -ENOMEM. */
int sampler_add(struct sampler *sampler, struct sample_thread *thread, void *owner);
void sampler_remove(struct sampler *sampler, struct sample_thread *thread);
/* The thread has another image: what is known of its calls is void. */
void sampler_renew(struct sample_thread *thread);

/* The index of CPU @number, negative: not one of ours. */
int sampler_cpu(const struct sampler *sampler, int number);

/* When CPU @cpu is to be looked at next, CLOCK_MONOTONIC; PLAN_NEVER. */
uint64_t sampler_next(const struct sampler *sampler, unsigned cpu);

/*
 * The instant of a CPU that was planned for @planned_ns; we are awake since @woke_ns. Returns the
 * thread to sample, with its order filled in, or NULL. The next instant is planned.
 */
struct sample_thread *sampler_instant(
	struct sampler *sampler, unsigned cpu, uint64_t planned_ns, uint64_t woke_ns);
/* The instant cannot be used: nobody held the CPU, or a bound forbids a stop. */
void sampler_miss(struct sampler *sampler, unsigned cpu, uint64_t now_ns, bool throttled);

/* CPU @cpu was the supervisor's for @ns: no instant falls into that. */
void sampler_had(struct sampler *sampler, unsigned cpu, uint64_t ns);

/*
 * The interrupt of @thread is sent, from its own CPU or (@from_afar) from another one, which has
 * nothing to do while the thread is stopped. What the sample takes from it is nobody's time: it is
 * left out of all plans, as an estimate first.
 */
void sampler_asked(struct sampler *sampler, struct sample_thread *thread, bool from_afar);

/*
 * The stop of @thread is over, and lasted @stop_ns; @cpu is its CPU time in it. A thread that was
 * not scheduled in more often since its last stop than the samples explain has run all the time
 * that they left it: then what they took is known, and the estimate is put right.
 */
void sampler_resumed(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, uint64_t end_ns, uint64_t stop_ns);

/* The thread cannot be stopped, or nobody knows where it was: its weight goes to the next instant.
 */
void sampler_lose(struct sampler *sampler, struct sample_thread *thread);

/*
 * The stop of @thread is there, with @after its CPU time, @asked_ns when the interrupt had been
 * sent, and whether it is in a system call. Was it on the CPU at the instant? Otherwise it is no
 * sample.
 */
bool sampler_judge(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *after, uint64_t asked_ns, bool in_call);
/* Its sample was taken, @in_call or in the program's own code. */
void sampler_note(struct sample_thread *thread, bool in_call);

/*
 * Decides the way of each CPU anew. Returns the index of the CPU where the tracing thread is to be,
 * whose instants it takes itself.
 */
unsigned sampler_ways(struct sampler *sampler, uint64_t now_ns);

#endif
