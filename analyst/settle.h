/* SPDX-License-Identifier: MIT */
/*
 * The books of shares.h closed, as if all had ended now: a copy of the pools, so that the running
 * accounts stay what they are. Pure.
 */
#ifndef ANALYST_SETTLE_H
#define ANALYST_SETTLE_H

#include "analyst/shares.h"

struct settled {
	const struct shares *shares; /* must not change meanwhile */
	struct share_pool *pool;
	uint64_t *given_ns; /* by pool: the weights whose time has been given out */
	struct share_rest *rest;
	size_t rests;
};

/* -ENOMEM. */
int settle(const struct shares *shares, struct settled *ret_settled);
void settled_release(struct settled *settled);

/*
 * The CPU time of a stack, or of SHARES_LEFT_OUT. To be asked once for each stack: a pool's time is
 * given out with a running remainder, so that all stacks together get it to the nanosecond.
 */
uint64_t settled_cpu_ns(struct settled *settled, uint32_t stack);

/*
 * Time by weight of a stack's samples: that of the samples which were there when the kernel's time
 * was last told. 1 where it was not. For a view of what goes on.
 */
double settled_factor(const struct settled *settled, uint32_t stack);

#endif
