/* SPDX-License-Identifier: MIT */
/* Waiting times of threads (sprofrun -w wall, both), from records to the profile. */
#ifndef ANALYST_WALLCLOCK_H
#define ANALYST_WALLCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct record_sample;
struct record_start;
struct thread_name;

struct wallclock {
	bool recorded; /* the supervisor records waiting times */
	/* -w wall: wall-clock time is the default value; each waiting period counts as a sample */
	bool first;
	uint64_t period_ns;
	size_t wall, queue, blocked, guessed; /* indexes of the value types */
};

/*
 * Adds the value types of waiting times to @profile. 0; -ENOMEM; -ENOSPC: @profile has
 * VALUE_TYPES_MAX types.
 */
int wallclock_begin(
	struct wallclock *wallclock, struct profile *profile, const struct record_start *start);

/* Sets a sample's values, except CPU time. @guessed: its stack has guessed frames. */
void wallclock_values(const struct wallclock *wallclock, const struct record_sample *sample,
	bool guessed, int64_t values[VALUE_TYPES_MAX]);

/* Corrects a stack's wall-clock values when its CPU time changes by @ns (any sign). */
void wallclock_correct(
	const struct wallclock *wallclock, struct profile *profile, size_t stack, int64_t ns);

/*
 * With -w wall: the number of samples for which the waiting time of @sample counts, one for each
 * period. The thread keeps the rest of the time, less than a period, for its next sample.
 */
int64_t wallclock_ticks(const struct wallclock *wallclock, struct thread_name *thread,
	const struct record_sample *sample);

/* Copies the stack of a blocked thread, for samples with RECORD_SAMPLE_AGAIN. -ENOMEM. */
int wallclock_keep(struct thread_name *thread, const uint32_t *stack, size_t n, bool guessed);

#endif
