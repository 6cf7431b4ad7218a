/* SPDX-License-Identifier: MIT */
/*
 * The time line of a profile: when each sample was taken. An instant is a time, the stack that was
 * found, and a weight: the planned weight of a sampling instant, or how long a thread had waited.
 *
 * A stack's value is distributed over its instants in proportion to their weights. So if a profile
 * is divided into spans of time, the values of all spans add up to the values of the profile.
 *
 * Instants are stored as in files, in pieces of delta-coded columns (timeline_code.h); 10 million
 * take about 50 MB. Beyond TIMELINE_MOST_BYTES, two instants of one stack become one, at the time
 * of the second, with the weight of both: half the resolution, no weight lost.
 */
#ifndef PROFILE_TIMELINE_H
#define PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum timeline_state {
	TIMELINE_RUNNING, /* was on CPU at the instant */
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
 * Returns the part of an instant's weight before @time_ns. An instant on CPU has its whole weight
 * at its time. The weight of a waiting instant is spread over the wait, the weight_ns before its
 * time.
 */
static inline uint64_t instant_before(const struct instant *instant, uint64_t time_ns)
{
	uint64_t left = instant->time_ns > time_ns ? instant->time_ns - time_ns : 0;

	if (instant->state == TIMELINE_RUNNING)
		return instant->time_ns < time_ns ? instant->weight_ns : 0;
	return left < instant->weight_ns ? instant->weight_ns - left : 0;
}

/*
 * Adds an instant, but not if its weight is 0. 0; -ENOMEM; -EINVAL: the stack or the state does not
 * exist, or the weight exceeds INT64_MAX.
 */
int timeline_add(struct profile *profile, const struct instant *instant);
size_t timeline_instants(const struct profile *profile);
/* Removes all instants. */
void timeline_forget(struct profile *profile);

/*
 * Records why a time line could not be used: a constant sentence. NULL: no time line was left out.
 */
void timeline_leave_out(struct profile *profile, const char *why);
const char *timeline_why_left_out(const struct profile *profile);

/* Iterates over all instants in the order in which they were added: roughly that of time. */
struct timeline_cursor {
	const struct profile *profile;
	size_t piece, row;
	struct timeline_rows *rows;
};

/* The profile must not change until timeline_end(). 0 or -ENOMEM. */
int timeline_begin(struct timeline_cursor *cursor, const struct profile *profile);
bool timeline_next(struct timeline_cursor *cursor, struct instant *ret_instant);
void timeline_end(struct timeline_cursor *cursor);

/* Gets the times of the first and last instant, in ns since the profile began. False: none. */
bool timeline_bounds(const struct profile *profile, uint64_t *ret_first_ns, uint64_t *ret_last_ns);
/*
 * Gets the time that the profile covers, in ns since it began: the profile's duration, or, in a
 * profile made by timeline_span(), the span. The result is extended to include all instants. False:
 * there are no instants.
 */
bool timeline_extent(const struct profile *profile, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

/*
 * Creates a profile of the span from @from_ns (inclusive) to @to_ns (exclusive) after @profile
 * began; its times remain relative to that beginning. It lacks stacks without instants (time
 * without a sample). Of the audit figures it has only effective_samples. 0; -ENOMEM; -ENODATA: no
 * time line.
 */
int timeline_span(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
	struct profile **ret_profile);

#endif
