/* SPDX-License-Identifier: MIT */
/* Transfers the accounts of shares.h to a profile, whose CPU values are weights until then. */
#ifndef ANALYST_TIMES_H
#define ANALYST_TIMES_H

#include <stddef.h>
#include <stdint.h>

struct processes;
struct profile;
struct shares;
struct wallclock;

/*
 * Converts weights to time. Adds rows [unsampled] for time without a sample: for each executable
 * or, if shares->per_process, each process, with its name from @processes. *@ret_left_out_ns: the
 * time of SHARES_LEFT_OUT. -ENOMEM.
 */
int times_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns);

/* Sets each stack's settled_factor(), for a view of a running profile. -ENOMEM. */
int times_factors(const struct shares *shares, size_t stacks, float *ret_factor);

#endif
