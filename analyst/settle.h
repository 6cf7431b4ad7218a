/* SPDX-License-Identifier: MIT */
/*
 * Closes the accounts of shares.h as if everything had ended now. Works on a copy of the pools, so
 * that the running accounts are unchanged. Pure.
 */
#ifndef ANALYST_SETTLE_H
#define ANALYST_SETTLE_H

#include "analyst/shares.h"

struct settled {
	const struct shares *shares; /* must not change while this is in use */
	struct share_pool *pool;
	uint64_t *given_ns; /* by pool: the weight (ns) of the stacks that have got their time */
	struct share_rest *rest;
	size_t rests;
};

/* Copies the pools of @shares, and closes the accounts in the copy. -ENOMEM. */
int settle(const struct shares *shares, struct settled *ret_settled);
void settled_release(struct settled *settled);

/*
 * The CPU time of a stack, or of SHARES_LEFT_OUT. To be called once for each stack: a pool's time
 * is assigned with a running remainder, so that all stacks together get exactly the pool's time.
 */
uint64_t settled_cpu_ns(struct settled *settled, uint32_t stack);

/*
 * Time divided by weight of a stack's samples, based on the samples present when the kernel's time
 * was last reported. 1 if it never was. For a view of a running profile.
 */
double settled_factor(const struct settled *settled, uint32_t stack);

#endif
