/* SPDX-License-Identifier: MIT */
/* Closes the accounts of shares.h in a copy, as if everything had ended now. Pure. */
#ifndef ANALYST_SETTLE_H
#define ANALYST_SETTLE_H

#include "analyst/shares.h"

struct settled {
	const struct shares *shares; /* must not change while this is in use */
	struct share_pool *pool;
	uint64_t *given_ns; /* by pool: weight of the samples whose time was given out */
	struct share_rest *rest;
	size_t rests;
};

/* Copies the accounts and closes the copy. 0 or -ENOMEM. */
int settle(const struct shares *shares, struct settled *ret_settled);
void settled_release(struct settled *settled);

/*
 * The CPU time of a stack, or of SHARES_LEFT_OUT. To be called once for each: a pool's time is
 * given out with a running remainder, so that all together get exactly the pool's time.
 */
uint64_t settled_cpu_ns(struct settled *settled, uint32_t stack);

/* A stack's CPU time divided by its weight, by the last reports; 1 if there was none yet. */
double settled_factor(const struct settled *settled, uint32_t stack);

#endif
