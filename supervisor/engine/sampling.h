/* SPDX-License-Identifier: MIT */
/*
 * The sampler at work (sample/sampler.h): a waiter on each CPU, which asks at its instants, and
 * calls the tracing thread for its hits. Its probe: sampling_probe.h; the stops: stops.h.
 */
#ifndef SUPERVISOR_SAMPLING_H
#define SUPERVISOR_SAMPLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/engine/expected.h"
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

struct sampled_cpu {
	struct cpu_waiter waiter;
	struct sampling *sampling;
	/* The waiter's own. */
	struct plan plan;
	struct sample_instant instant;
	struct expected expected;
	/* The waiter's next instant; set by the waiter. */
	_Atomic uint64_t next_ns;
	_Atomic uint64_t stretch_1024;      /* plan_set_factors() */
	_Atomic uint64_t occupied_until_ns; /* up to then the tracing thread had this CPU */
};

struct sampling {
	/* Belongs to the thread whose turn it is (cpu_waiter.h), as does the target's table. */
	struct sampler sampler;
	struct sample_thread *hit;       /* for which a waiter woke the tracing thread; or NULL */
	struct audit_histogram question; /* for how long a waiter had its turn */
	struct sampled_cpu *cpu;         /* by index */
	struct summons summons;
	_Atomic uint64_t period_ns[PLAN_STREAMS], factor_1024;
	_Atomic uint64_t busy; /* instants for which no turn came in time */
	_Atomic int works_on;  /* index of the CPU where the tracing thread is at work, -1 */
	uint64_t awake_ns;     /* since when */
	uint64_t decide_next_ns;
	int load_fd;  /* /proc/loadavg */
	int sched_fd; /* the tracing thread's own scheduling file */
	bool begun;
	struct realtime realtime;
};

/* The CPUs, and what is opened once. -errno. */
int sampling_init(struct engine *engine);
/* Are all CPUs sampled that the process @pid may run on? True if that cannot be told. */
bool sampling_covers(const struct engine *engine, int pid);
/* The target runs: priorities are taken, waiters begin. */
void sampling_begin(struct engine *engine);
void sampling_release(struct engine *engine);

/* A thread that may be sampled from now on; one that is gone. */
int sampling_add(struct engine *engine, struct tracee *tracee);
void sampling_remove(struct engine *engine, struct tracee *tracee);

/* The periods of the profile and of the tables are what they are now. */
void sampling_set_periods(struct engine *engine);

/* The tracing thread is about to sleep: waiters may ask, and call it. */
void sampling_rest(struct engine *engine);
/* When it has to wake up for sampling by itself, PLAN_NEVER not. */
uint64_t sampling_next(struct engine *engine);
/* The tracing thread, awake since @now_ns, does what a waiter woke it for. */
void sampling_wake(struct engine *engine, uint64_t now_ns);

/* Before another program is started, which would inherit the affinity; and after. */
void sampling_unpin(struct engine *engine);

#endif
