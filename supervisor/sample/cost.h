/* SPDX-License-Identifier: MIT */
/*
 * What sampling costs the target, and the bound on that cost (--max-cost). Pure arithmetic.
 *
 * The cost is the CPU time that threads of the target lose to sampling: the supervisor's CPU time
 * on their CPUs, and the context switches to it and back. Time in which other programs run during a
 * stop does not count. Two measurements give an estimate:
 *
 * - The supervisor's CPU time on the CPU of each instant: known for every thread, but without
 *   context switches.
 * - The loss of an uninterrupted thread: the wall time between two of its stops, less its CPU time.
 *   The loss is complete, but known only for some threads.
 *
 * The second calibrates the first: while most threads are uninterrupted, the ratio of loss to
 * occupied time is measured, and all occupied time is multiplied by that ratio.
 *
 * Two means keep the bound. The period is stretched in proportion to the mean cost of a sample. And
 * there is an allowance: the target's CPU time adds to it, and the cost of samples is taken from
 * it. While the allowance is negative, bounds_keep() doubles the period. In the first second there
 * is no bound, so that short programs have samples.
 */
#ifndef SUPERVISOR_COST_H
#define SUPERVISOR_COST_H

#include <stdbool.h>
#include <stdint.h>

#define COST_ONE UINT64_C(1024)

struct cost {
	uint32_t bound_ppm;     /* millionths of the target's CPU time; 0: no bound */
	uint64_t free_until_ns; /* CLOCK_MONOTONIC: end of the first second; 0: it has not begun */
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

/* @bound_ppm: millionths of the target's CPU time; 0, or 1000000 and more: no bound. */
void cost_init(struct cost *cost, uint64_t bound_ppm);

/* The target has used @ran_ns of CPU time: the bound's share of it adds to the allowance. */
void cost_earn(struct cost *cost, uint64_t ran_ns);
/*
 * Adds our CPU time on a CPU, if a thread of the target had to wait for that CPU. It does not
 * matter whether the thread was then sampled.
 */
void cost_spend(struct cost *cost, uint64_t occupied_ns);
/*
 * Enters the loss of a thread that was uninterrupted for @apart_ns of wall time. In that time the
 * thread was off CPU for @lost_ns: all its waits and context switches. Both times are 0 if the loss
 * was not measured.
 */
void cost_uninterrupted(struct cost *cost, uint64_t lost_ns, uint64_t apart_ns);

/*
 * Call every few ms: updates the mean cost and the ratio, and begins the bound after the first
 * second. @samples is the number taken so far; it may begin at 0 again.
 */
void cost_keep(struct cost *cost, uint64_t now_ns, uint64_t samples);

/* Is the allowance overspent? */
bool cost_is_spent(const struct cost *cost);
/* Returns the factor by which to stretch a period of @period_ns, in 1/1024; at least 1024. */
uint64_t cost_factor(const struct cost *cost, uint64_t period_ns);

#endif
