/* SPDX-License-Identifier: MIT */
/* Waiting times of threads (sprofrun -w wall, both): from records to values of the profile. */
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
	bool first;    /* -w wall: wall-clock time is the default value; waits count as ticks */
	uint64_t period_ns;
	size_t wall, queue, blocked, guessed; /* indexes of the value types */
};

/* Adds the value types to the profile. -ENOMEM, -ENOSPC. */
int wallclock_begin(
	struct wallclock *wallclock, struct profile *profile, const struct record_start *start);

/* Sets all values of a sample except CPU time. @guessed: some frames of its stack were guessed. */
void wallclock_values(const struct wallclock *wallclock, const struct record_sample *sample,
	bool guessed, int64_t values[VALUE_TYPES_MAX]);

/*
 * Corrects the wall-clock values of a stack when its CPU time changes by @ns, positive or negative.
 */
void wallclock_correct(
	const struct wallclock *wallclock, struct profile *profile, size_t stack, int64_t ns);

/* The number of wall-clock ticks of a sample; the thread keeps the remainder for the next one. */
int64_t wallclock_ticks(const struct wallclock *wallclock, struct thread_name *thread,
	const struct record_sample *sample);

/*
 * Copies the stack with which a thread was observed blocked, for further samples that find it
 * blocked there (RECORD_SAMPLE_AGAIN). -ENOMEM.
 */
int wallclock_keep(struct thread_name *thread, const uint32_t *stack, size_t n, bool guessed);

#endif
