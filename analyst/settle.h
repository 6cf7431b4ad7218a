/* SPDX-License-Identifier: MIT */
/*
 * Converts the CPU values of a profile from weights to CPU times: distributes the CPU time of
 * shares.h as if all threads and processes had ended now. Works on a copy of the accounts.
 */
#ifndef ANALYST_SETTLE_H
#define ANALYST_SETTLE_H

#include "analyst/shares.h"

struct processes;
struct profile;
struct wallclock;

struct settled {
	const struct shares *shares; /* must not change while this is in use */
	struct share_pool *pool;
	uint64_t *given_ns; /* by pool: weight of the samples that have got their CPU time */
	struct share_rest *rest;
	size_t rests;
};

/* Copies the accounts and closes the copy. 0 or -ENOMEM. */
int settle(const struct shares *shares, struct settled *ret_settled);
void settled_release(struct settled *settled);

/*
 * The CPU time, in ns, of a stack or of the samples left out (SHARES_LEFT_OUT). To be called once
 * for each. A rounded-off rest of a pool's time is added to the next part, so that all parts
 * together are exactly the pool's time.
 */
uint64_t settled_cpu_ns(struct settled *settled, uint32_t stack);

/*
 * A stack's CPU time divided by its weight, as of the last reports of its threads' CPU time.
 * Threads without a report, and a stack without weight, count as 1.
 */
double settled_factor(const struct settled *settled, uint32_t stack);

/*
 * Converts the profile's CPU values from weights to CPU times, in ns. CPU time without a sample is
 * added as a stack [unsampled]: one for each executable or, if shares->per_process, one for each
 * process, named by @processes. *@ret_left_out_ns: the time of SHARES_LEFT_OUT. -ENOMEM.
 */
int settle_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns);

/* Sets each stack's settled_factor(), for a view of a running profile. -ENOMEM. */
int settle_factors(const struct shares *shares, size_t stacks, float *ret_factor);

#endif
