/* SPDX-License-Identifier: MIT */
/* Converts the CPU values of a profile from weights to CPU times, by the accounts of shares.h. */
#ifndef ANALYST_TIMES_H
#define ANALYST_TIMES_H

#include <stddef.h>
#include <stdint.h>

struct processes;
struct profile;
struct shares;
struct wallclock;

/*
 * Converts the profile's CPU values from weights to CPU times, in ns. CPU time without a sample is
 * added as a stack [unsampled]: one for each executable or, if shares->per_process, one for each
 * process, named by @processes. *@ret_left_out_ns: the time of SHARES_LEFT_OUT. -ENOMEM.
 */
int times_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns);

/* Sets each stack's settled_factor(), for a view of a running profile. -ENOMEM. */
int times_factors(const struct shares *shares, size_t stacks, float *ret_factor);

#endif
