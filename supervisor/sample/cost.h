/* SPDX-License-Identifier: MIT */
/*
 * What sampling costs the target, and the bound on it (--max-cost). Pure arithmetic.
 *
 * The cost is the CPU time that threads of the target do not get because of sampling: everything
 * between losing a CPU and having it back. Two figures tell it:
 *
 * - The occupation of a CPU by the supervisor at each instant, with the stop. It is known for every
 *   thread, but what the kernel needs to switch from and to the thread is missing.
 * - Of a thread that was uninterrupted between two of its stops, the wall time between them less
 *   its CPU time is the whole loss. It is known for some threads at some times only.
 *
 * The second one calibrates the first one: in spans in which threads were mostly uninterrupted the
 * ratio of the two is measured, and all occupation counts by it.
 *
 * A bound is kept in two ways. The period is stretched by what a sample costs on average: samples
 * of equal weight tell more than many at first and then none for a while. And the target earns cost
 * by running: when chance has overspent it, sampling ceases until more is earned. The first second
 * is free, so that short programs have samples.
 */
#ifndef SUPERVISOR_COST_H
#define SUPERVISOR_COST_H

#include <stdbool.h>
#include <stdint.h>

#define COST_ONE UINT64_C(1024)

struct cost {
	uint32_t bound_ppm;     /* of the target's CPU time; 0: no bound */
	uint64_t free_until_ns; /* CLOCK_MONOTONIC: the end of the first second; 0: it comes yet */
	bool bounded;           /* the first second is over */
	uint64_t total_ns;      /* the cost so far */
	int64_t left_ns;        /* what may be spent; negative: overspent */
	uint64_t mean_ns;       /* moving average of the cost of a sample */
	uint64_t new_ns;        /* cost since the mean was last moved, */
	uint64_t samples;       /* and the number of samples since then */
	/* 1024 times what is lost for each ns of occupation, and whether it was ever measured. */
	uint64_t ratio_1024;
	bool calibrated;
	/* Since the last calibration: CPU time of the target, and the occupied time. */
	uint64_t ran_ns, occupied_ns;
	/* Since then, of uninterrupted threads: CPU time that they had, and time that they lost. */
	uint64_t even_ran_ns, even_lost_ns;
	uint64_t even_mean_ns; /* moving average of their loss from one stop to the next */
};

/* @bound_ppm: millionths of the target's CPU time; 0 or all of it: no bound. */
void cost_init(struct cost *cost, uint64_t bound_ppm);

/* The target has run for @ran_ns of CPU time. */
void cost_earn(struct cost *cost, uint64_t ran_ns);
/* The supervisor had a CPU of a thread of the target for @occupied_ns, the thread's stop included.
 */
void cost_spend(struct cost *cost, uint64_t occupied_ns);
/* A thread was uninterrupted for @apart_ns of wall time, and @lost_ns of that it did not run. */
void cost_uninterrupted(struct cost *cost, uint64_t lost_ns, uint64_t apart_ns);

/* Call every few ms. @samples: how many were taken so far; it may begin anew. */
void cost_keep(struct cost *cost, uint64_t now_ns, uint64_t samples);

/* Must sampling cease for now? */
bool cost_is_spent(const struct cost *cost);
/* The factor by which to stretch a period of @period_ns, in 1/1024; at least 1024. */
uint64_t cost_factor(const struct cost *cost, uint64_t period_ns);

#endif
