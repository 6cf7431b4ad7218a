/* SPDX-License-Identifier: MIT */
/* Brings the accounts of shares.h into a profile, whose CPU values are weights until then. */
#ifndef ANALYST_TIMES_H
#define ANALYST_TIMES_H

#include <stddef.h>
#include <stdint.h>

struct processes;
struct profile;
struct shares;
struct wallclock;

/*
 * Weights become time, and time without a sample becomes rows [unsampled]: of the processes, if
 * their accounts are kept apart, whose names @processes knows. *@ret_left_out_ns: of
 * SHARES_LEFT_OUT. -ENOMEM.
 */
int times_finish(const struct shares *shares, const struct processes *processes,
	const struct wallclock *wallclock, struct profile *profile, uint64_t *ret_left_out_ns);

/* Time by weight for each of @stacks stacks, for a view of what goes on. -ENOMEM. */
int times_factors(const struct shares *shares, size_t stacks, float *ret_factor);

#endif
