/* SPDX-License-Identifier: MIT */
/*
 * Runs the sampler (sample/sampler.h): a waiter on each CPU (cpu_waiter.h) asks at its instants
 * which thread it has preempted, and calls the tracing thread for each hit. stops.h stops threads.
 */
#ifndef SUPERVISOR_SAMPLING_H
#define SUPERVISOR_SAMPLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/cpu_waiter.h"
#include "supervisor/os/priority.h"
#include "supervisor/output/self_audit.h"
#include "supervisor/sample/plan.h"
#include "supervisor/sample/sampler.h"

struct engine;
struct sampling;
struct tracee;

/* The stream of --region, after those of the sprofil tables. */
#define SAMPLING_HISTOGRAM (PLAN_STREAMS - 1)

/*
 * The thread that is expected on a CPU at the next instant: the one last resumed there from a
 * sample. Only one waiter at a time has its turn with the sampler (cpu_waiter.h), and others wait
 * for the end of that turn. To shorten it, the CPU's waiter reads the last context switch of the
 * expected thread before its turn.
 */
struct expected {
	_Atomic(struct sample_thread *) thread; /* NULL: none */
	_Atomic unsigned number;                /* odd while the rest is being changed */
	int fd; /* the thread's scheduling file; -1: it could not be opened */
};

struct sampled_cpu {
	struct cpu_waiter waiter;
	struct sampling *sampling;
	/* Plan and instant belong to this CPU's waiter or, without one, to the tracing thread. */
	struct plan plan;
	struct sample_instant instant;
	struct expected expected;
	uint64_t called_run_ns; /* CPU time of the waiter before the instant of its last call */
	/* The next instant (CLOCK_MONOTONIC); set by the thread that uses the plan. */
	_Atomic uint64_t next_ns;
	_Atomic uint64_t stretch_1024;      /* for plan_set_factors() */
	_Atomic uint64_t occupied_until_ns; /* the tracing thread occupied this CPU until then */
	_Atomic bool gone;                  /* offline, or not in our cpuset: it has no instants */
};

struct sampling {
	/* Only the thread whose turn it is (cpu_waiter.h) uses this sampler, and target.tracee. */
	struct sampler sampler;
	struct sample_thread *hit;       /* to be sampled by the tracing thread; NULL: none */
	struct audit_histogram question; /* durations of the turns of waiters */
	bool strayed;                    /* a waiter has woken up on another CPU than its own */
	/* The CPUs by their index in the sampler; the array is used only by the tracing thread. */
	struct sampled_cpu **cpu;
	size_t cpu_room;
	uint64_t seed;       /* of the CPUs' plans */
	size_t check_cursor; /* which process is checked next (sampling_cpus_review()) */
	bool uncovered;      /* the user was told that some CPUs of the target are not sampled */
	/* the callback of the waiters (struct cpu_waiter) */
	uint64_t (*wake)(void *context, uint64_t woke_ns, const struct arrival *arrival, int error);
	struct summons summons;
	_Atomic uint64_t period_ns[PLAN_STREAMS], factor_1024;
	_Atomic uint64_t busy; /* instants for which no turn came in time */
	_Atomic int works_on;  /* index of the CPU where the tracing thread is at work; -1: none */
	/*
	 * The last turn of the tracing thread, which is accounted for at the next one: index of the
	 * CPU (-1: none), whether the last instant of that CPU was a hit, and the CPU time of the
	 * waiter whose call was served, in ns.
	 */
	int served_on;
	bool served_hit;
	uint64_t asked_ns;
	uint64_t woke_cpu_ns;    /* CPU time of the tracing thread when it last woke up */
	uint64_t worked_ns;      /* how long turns were since the periods were adjusted */
	uint64_t decide_next_ns; /* when the periods are adjusted next */
	uint64_t review_next_ns; /* when the CPUs are looked up next */
	uint64_t stray_next_ns;  /* when a strayed waiter may next cause a look-up */
	int load_fd;             /* /proc/loadavg */
	int sched_fd;            /* /proc/thread-self/sched of the tracing thread */
	bool begun;
	struct realtime realtime;
};

/*
 * The probe of the sampler, which reads /proc. Its context is the engine; @owner in struct
 * sample_thread is a struct tracee.
 */
extern const struct probe sampling_probe;

/* Called by the tracing thread: finds the CPUs to sample, and opens files. 0 or -errno. */
int sampling_init(struct engine *engine);
/* Called once, before the loop: takes real-time priority if permitted, and starts the waiters. */
void sampling_begin(struct engine *engine);
void sampling_release(struct engine *engine);

/* Adds a thread, which may be sampled from now on. Returns 0 or -ENOMEM. */
int sampling_add(struct engine *engine, struct tracee *tracee);
/* Removes a thread that has ended or is left out. Does nothing if it was not added. */
void sampling_remove(struct engine *engine, struct tracee *tracee);

/*
 * Takes over changed periods. Without an analyst the profile's period is 0, unless there are
 * counters of --region.
 */
void sampling_set_periods(struct engine *engine);

/* Call when the tracing thread is about to sleep: waiters may take instants, and call it. */
void sampling_rest(struct engine *engine);
/* Returns the next instant of CPUs without a waiter; PLAN_NEVER: none. */
uint64_t sampling_next(struct engine *engine);
/* Call when the tracing thread has woken up: serves a waiter's hit, and CPUs without a waiter. */
void sampling_wake(struct engine *engine, uint64_t now_ns);
/* Call often: adjusts periods, looks up the CPUs, gives real-time priority up or takes it back. */
void sampling_keep(struct engine *engine, uint64_t now_ns);

/* expected.c */

/*
 * Called by a waiter before its turn: reads the time stamp of the expected thread into @instant.
 * Returns a number for expected_settle().
 */
unsigned expected_ask(const struct expected *expected, struct sample_instant *instant);
/* Called by the waiter in its turn: drops the time stamp unless the thread is still expected. */
void expected_settle(
	const struct expected *expected, unsigned number, struct sample_instant *instant);

/*
 * For the tracing thread in its turn: @tracee, just resumed from a sample, is now expected on the
 * CPU where it was last seen.
 */
void expected_note(struct engine *engine, struct tracee *tracee);
/* For the tracing thread in its turn, before @tracee is removed: no CPU expects it any more. */
void expected_forget(struct engine *engine, struct tracee *tracee);

/*
 * sampling_cpus.c: which CPUs are sampled: all that our cpuset permits, each with a waiter. CPUs
 * come and go during a run (offline, cpusets). Called by the tracing thread in its turn
 * (cpu_waiter.h), except sampling_cpus_release().
 */

/*
 * Adds the CPUs to an initialized sampler. @wake is the callback of their waiters (struct
 * cpu_waiter); its context is the struct sampled_cpu. Returns 0 or -ENOMEM.
 */
int sampling_cpus_init(struct sampling *sampling,
	uint64_t (*wake)(
		void *context, uint64_t woke_ns, const struct arrival *arrival, int error));
/* Stops the waiters and forgets the CPUs. To be called once the tracing thread has ended. */
void sampling_cpus_release(struct sampling *sampling);

/* Starts the waiters, or restarts them with the priority that is in force. */
void sampling_cpus_start(struct sampling *sampling);
/* Lets each CPU plan its next instant anew, as something that its plan depends on has changed. */
void sampling_cpus_renew(struct sampling *sampling);

/*
 * Call once a second, and when a waiter has strayed; takes microseconds. Samples new CPUs, and
 * gives CPUs that are gone no instants until they are back. Pins all waiters again if one has
 * strayed. Calls sampling_cpus_check() for the next process until the user has been warned.
 */
void sampling_cpus_review(struct engine *engine);

/* Warns the user if the process @pid may run on CPUs that are not sampled. */
void sampling_cpus_check(struct engine *engine, int pid);

#endif
