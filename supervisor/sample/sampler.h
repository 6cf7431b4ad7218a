/* SPDX-License-Identifier: MIT */
/*
 * The sampler: which thread to sample at an instant, and what the sample weighs. It knows neither
 * ptrace nor records: it reads through a probe, and the engine acts.
 *
 *	plan ──► waiter of CPU c ──► which thread was preempted? ──► stop ──► record
 *	plan.h   cpu_waiter.h        observe.h                       stops.h
 *
 * At each instant of a CPU one question is asked: which thread of the target did the supervisor's
 * wake-up preempt there? Threads are asked one by one, the last hits first: their CPU time, state
 * and time stamp are read. The preempted thread is sampled where it stands, with the planned
 * weight: a hit. Without one, the instant is a miss, and nothing happens. If it is not known
 * whether there was one, the instant counts as lost. docs/SAMPLING.md has reasons and figures.
 */
#ifndef SUPERVISOR_SAMPLER_H
#define SUPERVISOR_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/cpu_waiter.h"
#include "supervisor/os/procfs.h"
#include "supervisor/sample/plan.h"

struct sample_thread;

/*
 * What the sampler reads about threads. The engine's probe reads /proc, the simulator's
 * (tests/unit/supervisor/simulator.h) reads a model. An int result without a comment is 0 or
 * -errno; a thread that has ended gives an error, and is skipped.
 */
struct probe {
	/* Is the thread runnable? If not, where is it blocked? */
	int (*activity)(void *context, struct sample_thread *thread, struct activity *ret_activity);
	/*
	 * The thread's CPU time. While the thread runs on another CPU, the result may be too low,
	 * by up to a scheduler tick.
	 */
	int (*cpu_time)(void *context, struct sample_thread *thread, struct cpu_time *ret_cpu);
	/* When it last switched context (exec_start, scheduler's clock), and its CPU time then. */
	int (*turn)(void *context, struct sample_thread *thread, struct turn *ret_turn);
	/* Since when the thread has waited for a CPU, by the scheduler's clock. */
	int (*queued)(void *context, struct sample_thread *thread, uint64_t *ret_ns);
	/* The CPU that it is on, waits for, or was last on; negative: unknown. */
	int (*last_cpu)(void *context, struct sample_thread *thread);
	/* Returns the time of CLOCK_MONOTONIC, in ns. */
	uint64_t (*now)(void *context);
	/* Number of runnable threads of the machine without the calling one; negative: unknown. */
	int (*runnable)(void *context);
};

/* One instant of a CPU, as its waiter hands it over. */
struct sample_instant {
	unsigned cpu;        /* index in sampler.cpu */
	uint64_t planned_ns; /* CLOCK_MONOTONIC */
	uint64_t woke_ns;    /* CLOCK_MONOTONIC: when the waiter woke up for this instant */
	int error;           /* negative: @arrival is unknown, the kernel has no time stamps */
	struct arrival arrival;
	struct plan_due due;
	/* The thread that was expected on this CPU (NULL: none); @turn was read at expected_ns. */
	struct sample_thread *expected;
	uint64_t expected_ns;
	struct turn turn;
};

/* A hit, from the instant until the stop of its thread. */
struct sample_hit {
	unsigned cpu; /* index in sampler.cpu */
	/* the waiter was so late that a thread in sched_yield() was in other code at the instant */
	bool slow;
	bool asleep; /* the thread was falling asleep: it is sampled without a stop */
	struct plan_due due;
	uint64_t woke_ns;
	struct cpu_time before;   /* the thread's CPU time at the instant */
	struct activity activity; /* if asleep: where it is blocked */
};

/* Compares the CPU time of one thread with the ticks that one table counted for it (ticks.h). */
struct sample_account {
	uint64_t began_ns;  /* CPU time when the table was put in force; 0: the table is older */
	uint64_t ticked_ns; /* CPU time when a tick was last counted; 0: none was */
	int64_t owed_ns;    /* CPU time since began_ns, less what was counted as ticks */
};

/* One thread, as the sampler knows it. See sampler_add(). */
struct sample_thread {
	void *owner;
	struct sample_thread *newer, *older; /* by the time of the last hit */
	size_t slot;
	int cpu; /* index of the CPU on which it was last seen to run; -1: none */
	/*
	 * woke_ns of the last instant that asked it early: as expected, or as one of the last hits
	 */
	uint64_t recent_ns;
	uint64_t read_ns;      /* CLOCK_MONOTONIC: when its CPU time was last read; 0: never */
	struct cpu_time asked; /* its CPU time when it was last read */
	/* when last asked, it had run since the previous asking, and was not seen to be blocked */
	bool busy;
	bool stopping;           /* its stop was requested and has not come yet */
	struct cpu_time resumed; /* its CPU time in its last sample's stop */
	uint64_t resumed_ns; /* CLOCK_MONOTONIC: end of its last sample's stop; 0: there was none */
	struct sample_account account[PLAN_STREAMS];
	struct sample_hit hit;
};

struct sample_cpu {
	int number;                /* as the kernel counts CPUs */
	int misses;                /* misses in a row; below 0 after a hit */
	struct sample_thread *hit; /* the thread of the last instant if that was a hit, else NULL */
	/* the thread that was last resumed on this CPU; NULL: unknown */
	struct sample_thread *resumed;
	uint64_t occupied_ns; /* how long we have occupied this CPU since we resumed that thread */
	unsigned releases;    /* how often we have released this CPU since we resumed that thread */
};

struct sample_figures {
	uint64_t instants; /* all instants of the profile */
	uint64_t late;     /* all lost instants: too late, unproved, busy, or no stop came */
	uint64_t unproved; /* part of late: the thread ran before its stop was requested */
	uint64_t busy;     /* part of late: the waiter waited too long for the sampler */
	/* estimated number of hits missed because bounds on cost made instants rarer */
	uint64_t throttled;
};

struct sampler {
	const struct probe *probe;
	void *context;
	struct plan_random random;
	struct sample_cpu *cpu;
	unsigned cpus;
	unsigned present; /* number of CPUs that are online and in our cpuset */
	size_t cpu_room;
	uint64_t period_ns[PLAN_STREAMS];
	bool realtime; /* our threads are SCHED_FIFO: they preempt at once */
	/* 1024 times the factor by which the profile's gaps are longer, to keep bounds on cost */
	uint64_t factor_1024;
	/*
	 * 1024 times the factor by which gaps are longer because the tracing thread cannot keep up.
	 * The greater of the two factors applies.
	 */
	uint64_t busy_1024;
	uint64_t turn_instants; /* figures.instants at the last sampler_turn() */
	/* the part of an instant, in 1024ths, that is still to be added to figures.throttled */
	uint64_t stretched_1024;
	struct sample_thread **thread;
	size_t threads, room;
	struct sample_thread *newest, *oldest;
	/* Moving averages of the time to ask a thread and to read a time stamp; never 0. */
	uint64_t ask_ns, stamp_ns;
	uint64_t others_left_ns; /* time that may be spent on asking threads that are not recent */
	uint64_t others_ns;      /* CLOCK_MONOTONIC: when others_left_ns was last increased */
	struct sample_figures figures;
};

/*
 * Initializes a sampler without threads. @numbers: the kernel's numbers of the @cpus CPUs to be
 * sampled; they are copied. Returns 0, or -ENOMEM; sampler_release() is harmless then.
 */
int sampler_init(struct sampler *sampler, const struct probe *probe, void *context,
	const int *numbers, unsigned cpus, uint64_t seed);
void sampler_release(struct sampler *sampler);

/* Adds a present CPU, by the kernel's @number, as index sampler.cpus. Returns 0 or -ENOMEM. */
int sampler_add_cpu(struct sampler *sampler, int number);

/* Sets a stream's period; 0 ends it. The caller sets it in the waiters' plans, too. */
void sampler_set_period(struct sampler *sampler, unsigned stream, uint64_t period_ns);

/*
 * Adds a thread, to be asked early: new ones mostly run. @thread is the caller's, and stays in
 * place until sampler_remove(); @owner is for the probe. Returns 0 or -ENOMEM.
 */
int sampler_add(struct sampler *sampler, struct sample_thread *thread, void *owner);
void sampler_remove(struct sampler *sampler, struct sample_thread *thread);
/* Call when the thread is known to run: at the next instants it is asked before most others. */
void sampler_heed(struct sampler *sampler, struct sample_thread *thread);

/* Returns the index of CPU @number; negative: it is not sampled. */
int sampler_cpu(const struct sampler *sampler, int number);

/* Returns the factor (PLAN_ONE is 1) by which gaps on @cpu (index) are longer for want of hits. */
uint64_t sampler_stretch(const struct sampler *sampler, unsigned cpu);

/* Returns the thread to sample, with its hit filled in, or NULL: the instant is a miss, or lost. */
struct sample_thread *sampler_instant(
	struct sampler *sampler, const struct sample_instant *instant);

/* Call before a hit's stop is requested. False: it is lost, as the thread has run since. */
bool sampler_confirm(struct sampler *sampler, struct sample_thread *thread);

/* Counts the hit as lost; @unproved: because the thread may have run since the instant. */
void sampler_lose(struct sampler *sampler, struct sample_thread *thread, bool unproved);

/* Is the hit of stopped @thread a sample? False: it is lost. @yields: it was in sched_yield(). */
bool sampler_judge(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, bool yields);

/* Notes that the supervisor has occupied CPU @cpu (index) for @ns and released it. */
void sampler_occupied(struct sampler *sampler, unsigned cpu, uint64_t ns);

/* What sampling cost an uninterrupted thread between its last two sample stops. */
struct sample_loss {
	uint64_t lost_ns;  /* apart_ns less the thread's CPU time meanwhile */
	uint64_t apart_ns; /* wall time between the two stops; 0: not measured */
};
/* Call after a sample's stop, in which @cpu was read. Returns the loss since the last sample. */
struct sample_loss sampler_resumed(struct sampler *sampler, struct sample_thread *thread,
	const struct cpu_time *cpu, uint64_t end_ns);

/*
 * Call every 20 ms or so: adjusts sampler_factor() to the share of lost instants. @busy: instants
 * of the profile lost since the last call, as their waiter waited too long for the sampler.
 * @loaded: the sampler was in use for more than half of that time. If it was not, it was kept from
 * its CPU, and longer gaps would not make fewer of the instants wait in vain.
 */
void sampler_turn(struct sampler *sampler, uint64_t busy, bool loaded);
/*
 * Returns the factor (PLAN_ONE is 1) by which the profile's gaps are longer, to keep bounds or
 * because the tracing thread cannot keep up.
 */
uint64_t sampler_factor(const struct sampler *sampler);

#endif
