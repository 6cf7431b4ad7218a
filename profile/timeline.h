/* SPDX-License-Identifier: MIT */
/*
 * The time line of a profile: when each sample was taken. An instant is a time, the stack that was
 * found, and a weight: the planned weight of a tick, or how long a thread had waited.
 *
 * Weights are not times: a stack's value is distributed over its instants in proportion to their
 * weights, just as a thread's CPU time over its samples. So all spans together have exactly the
 * values of the profile.
 *
 * Instants are stored as they are written to files, in pieces of delta-coded columns
 * (timeline_code.h); 10 million take about 50 MB. Beyond TIMELINE_MOST_BYTES, pairs of instants of
 * one stack are combined, at the time of the second, with the weight of both: half the resolution,
 * and no weight lost.
 */
#ifndef PROFILE_TIMELINE_H
#define PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum timeline_state {
	TIMELINE_RUNNING, /* a tick of CPU time */
	TIMELINE_QUEUED,  /* was in the run queue until the instant */
	TIMELINE_BLOCKED, /* was blocked until the instant */
	TIMELINE_STATES
};

struct instant {
	uint64_t time_ns; /* by the clock of profile_realtime_ns(); stored in whole microseconds */
	uint64_t weight_ns; /* not 0 */
	uint32_t sample;    /* index of the stack */
	enum timeline_state state;
};

#define TIMELINE_MOST_BYTES ((size_t)96 << 20)

/*
 * Returns the part of the instant's weight that lies before @time_ns. A tick counts wholly at its
 * time. A wait extends over the weight_ns before its time.
 */
static inline uint64_t instant_before(const struct instant *instant, uint64_t time_ns)
{
	uint64_t left = instant->time_ns > time_ns ? instant->time_ns - time_ns : 0;

	if (instant->state == TIMELINE_RUNNING)
		return instant->time_ns < time_ns ? instant->weight_ns : 0;
	return left < instant->weight_ns ? instant->weight_ns - left : 0;
}

/* Adds an instant; one without weight is ignored. -ENOMEM; -EINVAL: no such stack. */
int timeline_add(struct profile *profile, const struct instant *instant);
size_t timeline_instants(const struct profile *profile);
/* Removes the instants of all stacks. */
void timeline_forget(struct profile *profile);

/* Notes that a file has a time line which cannot be used; @why is a constant sentence. */
void timeline_leave_out(struct profile *profile, const char *why);
/* Returns why the time line was left out; NULL: it was not. */
const char *timeline_why_left_out(const struct profile *profile);

/*
 * Iterates over all instants in the order in which they were added, which is roughly that of time.
 */
struct timeline_cursor {
	const struct profile *profile;
	size_t piece, row;
	struct timeline_rows *rows;
};

/*
 * Begins an iteration, to be ended by timeline_end(). The profile must not change meanwhile.
 * -ENOMEM.
 */
int timeline_begin(struct timeline_cursor *cursor, const struct profile *profile);
bool timeline_next(struct timeline_cursor *cursor, struct instant *ret_instant);
void timeline_end(struct timeline_cursor *cursor);

/*
 * Gets the first and the last time of all instants, in ns since the profile's beginning. False:
 * there are no instants.
 */
bool timeline_bounds(const struct profile *profile, uint64_t *ret_first_ns, uint64_t *ret_last_ns);
/*
 * Gets the time that the profile covers, in ns since its beginning: its duration, or its span if
 * timeline_span() made it. All instants are inside. False: there are no instants.
 */
bool timeline_extent(const struct profile *profile, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

/*
 * Creates a profile of the span from @from_ns (inclusive) to @to_ns (exclusive) after the beginning
 * of the profile; times remain relative to that beginning. Without the audit, except
 * effective_samples. Stacks without instants (time without a sample) are excluded. -ENOMEM;
 * -ENODATA: the profile has no time line.
 */
int timeline_span(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
	struct profile **ret_profile);

#endif
