/* SPDX-License-Identifier: MIT */
/* What threads waited (sprofrun -w wall, both): from records to values of the profile. */
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
	bool recorded; /* by this supervisor */
	bool first;    /* and a tick is a period of the wall clock */
	uint64_t period_ns;
	size_t wall, queue, blocked, guessed; /* indexes of the values */
};

/* Adds the kinds of values to the profile. -ENOMEM, -ENOSPC. */
int wallclock_begin(
	struct wallclock *wallclock, struct profile *profile, const struct record_start *start);

/* The values of a sample that are not CPU time; @guessed: frames of its stack were. */
void wallclock_values(const struct wallclock *wallclock, const struct record_sample *sample,
	bool guessed, int64_t values[VALUE_TYPES_MAX]);

/* The CPU time of a stack of the profile is @ns more than what its samples said. */
void wallclock_correct(
	const struct wallclock *wallclock, struct profile *profile, size_t stack, int64_t ns);

/* For how many ticks of the wall clock it stands; what is left of one stays the thread's. */
int64_t wallclock_ticks(const struct wallclock *wallclock, struct thread_name *thread,
	const struct record_sample *sample);

/* Keeps the stack that a thread was seen blocked with, for when it is seen there again. -ENOMEM. */
int wallclock_keep(struct thread_name *thread, const uint32_t *stack, size_t n, bool guessed);

#endif
