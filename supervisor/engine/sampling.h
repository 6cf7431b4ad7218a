/* SPDX-License-Identifier: MIT */
/*
 * The sampler at work (sample/sampler.h): the threads that wait on the CPUs, the stops of the
 * threads that it chose, and what becomes of each. Its probe: sampling_probe.h.
 */
#ifndef SUPERVISOR_SAMPLING_H
#define SUPERVISOR_SAMPLING_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "supervisor/os/arrival.h"
#include "supervisor/os/cpu_waiter.h"
#include "supervisor/os/realtime.h"
#include "supervisor/sample/sampler.h"

struct arch_snapshot;
struct cpu_time;
struct engine;
struct tracee;
struct waiter_result;

/* The stream of --region, after those of the sprofil tables. */
#define SAMPLING_HISTOGRAM (PLAN_STREAMS - 1)

struct sampling {
	struct sampler sampler;
	struct cpu_waiter *waiter; /* by index of the CPU */
	cpu_set_t allowed;         /* what the supervisor was started with */
	int bell_fd;               /* an eventfd that the waiters ring */
	_Atomic bool heard;        /* the tracing thread is awake: they need not ring */
	uint64_t lead_ns;          /* how long before a waiter the tracing thread is to wake up */
	uint64_t lead_at_ns;       /* it is to wake up then for that, 0 not */
	int sched_fd;              /* the tracing thread's own scheduling file */
	struct arrival_log log;    /* of the tracing thread */
	struct arrival arrival;    /* when that woke up for an instant; last_ns 0: not read */
	long sleeps;               /* how often it had slept when it woke up last */
	bool came;                 /* more often than the time before: it was not kept awake */
	bool deferred;             /* one instant since it came, to after what it does now */
	int load_fd;               /* /proc/loadavg */
	int analyst_pid;           /* whose analyst_clock is, 0 nobody's */
	clockid_t analyst_clock;   /* its CPU time, */
	uint64_t analyst_ran_ns;   /* and what that was when it was last of interest */
	int host;                  /* index of the CPU where the tracing thread keeps to, -1 any */
	bool begun;
	struct realtime realtime;
	struct tracee **asked; /* threads whose stops are looked for without sleeping */
	size_t asked_n, asked_room;
	/* lifecycle_handle(): acts on a stop that was seen. */
	void (*handle)(struct engine *engine, const struct waiter_result *seen);
};

/* The CPUs, and what is opened once. -errno. */
int sampling_init(struct engine *engine);
/* Are all CPUs sampled that the process @pid may run on? True if that cannot be told. */
bool sampling_covers(const struct engine *engine, int pid);
/* The target runs: priorities are taken, waiting threads begin. */
void sampling_begin(struct engine *engine);
void sampling_release(struct engine *engine);

/* A thread that may be sampled from now on; one that is gone. */
int sampling_add(struct engine *engine, struct tracee *tracee);
void sampling_remove(struct engine *engine, struct tracee *tracee);

/* The periods of the profile and of the tables are what they are now. */
void sampling_set_periods(struct engine *engine);

/*
 * The tracing thread is about to sleep. To be called before sampling_next(). False: it may not, as
 * somebody waits for it.
 */
bool sampling_rest(struct engine *engine);

/* When the tracing thread itself has something to do; and does it, with what the waiters rang for.
 */
uint64_t sampling_next(struct engine *engine);
/*
 * The tracing thread has slept for a stop on its own CPU; call after sampling_rest(), once awake.
 * Instants of that CPU that have come due are taken, before anything is done for the stop.
 */
void sampling_woken(struct engine *engine);
void sampling_wake(struct engine *engine, uint64_t now_ns);

/* Before another program is started, which would inherit the affinity; and after. */
void sampling_unpin(struct engine *engine);

#endif
