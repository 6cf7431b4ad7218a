/* SPDX-License-Identifier: MIT */
/*
 * One instant's observation: which thread was on the CPU until the supervisor came? By the probe
 * alone (probe.h).
 */
#ifndef SUPERVISOR_OBSERVE_H
#define SUPERVISOR_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arrival.h"
#include "supervisor/os/procfs.h"

struct sample_cpu;
struct sample_thread;
struct sampler;

/*
 * The observation, as far as it has come. The caller fills in @s, @cpu, @planned_ns and @woke_ns,
 * and sets @weight to 1024.
 */
struct look {
	struct sampler *s;
	unsigned cpu;
	uint64_t planned_ns;
	uint64_t woke_ns;       /* CLOCK_MONOTONIC: our first instruction after it */
	struct arrival arrival; /* when we came, by the scheduler's clock */
	int error;              /* negative: the kernel does not tell */
	bool ours;              /* we had the CPU by then, for something else */
	int runnable;           /* so many but us were, when we came; negative: unknown */
	uint64_t weight; /* the inverse of the probability that this thread was asked, times 1024 */
	bool stopping;   /* the thread found is to stop since an earlier instant, and in a call */
	struct activity activity;
	struct sample_thread *elsewhere; /* one that runs, but was not here; NULL none */
};

/*
 * The thread, with the proof in its order, or one that has an order already (@stopping). NULL:
 * nobody of the target was found.
 */
struct sample_thread *observe(struct look *look);

/* One of the threads met last that wants a CPU; NULL: none does. */
struct sample_thread *observe_runnable(struct look *look);

/* The thread met last here had the CPU all the time between its stops: it needs no time stamps. */
bool observe_is_steady(const struct sample_cpu *cpu);

/*
 * How often a thread of @cpu that had it all the time since its last stop there was put on it: when
 * it was let go on, if not by the CPU's own host, and each time that the supervisor let go of it.
 */
unsigned observe_turns(const struct sampler *sampler, unsigned cpu);

/* Was anybody but @own threads of the target runnable? Where nobody can tell, somebody was. */
void observe_company(struct sampler *sampler, int own);

/* Nobody was found; that may be untrue, and the instant is to be taken for lost. */
bool observe_cannot_tell(struct look *look);

#endif
