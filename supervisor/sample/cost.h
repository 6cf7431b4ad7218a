/* SPDX-License-Identifier: MIT */
/*
 * What sampling costs the target, and the bound on it (--max-cost). Pure arithmetic.
 *
 * The cost is the CPU time that threads of the target do not get because of sampling: CPU time that
 * the supervisor uses on their CPUs, and the context switches to it and back. The time for which
 * other programs run while a thread stands in its stop does not count. The cost is estimated from
 * two measurements:
 *
 * - The supervisor's CPU time on the CPU of each instant. It is known for every thread, but lacks
 *   the time that the kernel needs to switch threads.
 * - The loss of a thread that was uninterrupted between two of its stops: the wall time between
 *   them less the thread's CPU time. It is complete, but known for some threads at some times only.
 *
 * The second one calibrates the first one: in spans in which threads were mostly uninterrupted, the
 * ratio of loss to occupied time is measured, and all occupied time is multiplied by it.
 *
 * The bound is kept in two ways. The period is stretched by the mean cost of a sample, as evenly
 * spaced samples tell more than many at first and then none for a while. And the target's CPU time
 * adds to an allowance that samples use up: when it is overspent, sampling pauses until it is
 * positive again. The first second is free, so that short programs have samples.
 */
#ifndef SUPERVISOR_COST_H
#define SUPERVISOR_COST_H

#include <stdbool.h>
#include <stdint.h>

#define COST_ONE UINT64_C(1024)

struct cost {
	uint32_t bound_ppm;     /* of the target's CPU time; 0: no bound */
	uint64_t free_until_ns; /* CLOCK_MONOTONIC: end of the first second; 0: not begun */
	bool bounded;           /* there is a bound, and the first second is over */
	uint64_t total_ns;      /* the cost so far */
	int64_t left_ns;        /* the allowance; negative: overspent */
	uint64_t mean_ns;       /* moving average of the cost of a sample */
	uint64_t new_ns;        /* cost since mean_ns was last updated */
	uint64_t samples;       /* number of samples taken when mean_ns was last updated */
	uint64_t ratio_1024;    /* 1024 times the ns lost for each ns occupied */
	bool calibrated;        /* ratio_1024 has been measured */
	/* Since the last calibration: CPU time of the target, and the occupied time. */
	uint64_t ran_ns, occupied_ns;
	/* Since the last calibration: CPU time of uninterrupted threads, and what they lost. */
	uint64_t even_ran_ns, even_lost_ns;
	uint64_t even_mean_ns; /* moving average of an uninterrupted thread's loss between stops */
};

/*
 * Begins without any measurement. @bound_ppm: millionths of the target's CPU time; 0, or 1000000
 * and more: no bound.
 */
void cost_init(struct cost *cost, uint64_t bound_ppm);

/*
 * Call when the target has used @ran_ns of CPU time: the bound's share of it is added to the
 * allowance.
 */
void cost_earn(struct cost *cost, uint64_t ran_ns);
/*
 * Adds to the cost @occupied_ns, CPU time of ours on a CPU on which a thread of the target had to
 * wait. To be called for each such time, whether or not a sample was taken.
 */
void cost_spend(struct cost *cost, uint64_t occupied_ns);
/*
 * Enters the loss of a thread that was uninterrupted for @apart_ns of wall time, of which it did
 * not run for @lost_ns. This loss is exact: it contains all waits and context switches. 0 and 0:
 * nothing was measured.
 */
void cost_uninterrupted(struct cost *cost, uint64_t lost_ns, uint64_t apart_ns);

/*
 * Brings the mean cost of a sample and the measured ratio up to date, and begins the bound when the
 * first second is over. Call every few ms. @samples: how many were taken so far; it may begin at 0
 * again.
 */
void cost_keep(struct cost *cost, uint64_t now_ns, uint64_t samples);

/* Must sampling pause, as the allowance is overspent? */
bool cost_is_spent(const struct cost *cost);
/* Returns the factor by which to stretch a period of @period_ns, in 1/1024; at least 1024. */
uint64_t cost_factor(const struct cost *cost, uint64_t period_ns);

#endif
