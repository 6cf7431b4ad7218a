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
 * Converts weights to time, and adds time without a sample as rows [unsampled], one for each
 * executable, or for each process if shares->per_process; @processes has their names.
 * *@ret_left_out_ns: time of SHARES_LEFT_OUT. -ENOMEM.
 */
int times_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns);

/* Time divided by weight for each of @stacks stacks, for a view of a running profile. -ENOMEM. */
int times_factors(const struct shares *shares, size_t stacks, float *ret_factor);

#endif
