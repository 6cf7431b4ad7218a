/* SPDX-License-Identifier: MIT */
/*
 * The time line of a profile: when each sample was taken. An instant is a moment, the stack that
 * was met then, and what that weighs: the planned weight of a tick, or how long a thread had
 * waited.
 *
 * Weights are no times: a stack's value is shared out over its instants in proportion to them, as a
 * thread's CPU time is over its samples. So all spans together have just what the profile has.
 *
 * Instants are kept as they are written, in pieces of columns, delta-coded (timeline_code.h); 10
 * million take about 50 MB. Beyond TIMELINE_MOST_BYTES pairs of instants of one stack become one,
 * at the time of the second, with the weight of both: half the resolution, and no weight lost.
 */
#ifndef PROFILE_TIMELINE_H
#define PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

enum timeline_state {
	TIMELINE_RUNNING, /* a tick of CPU time */
	TIMELINE_QUEUED,  /* it was runnable and waited for a CPU until then */
	TIMELINE_BLOCKED, /* it was blocked until then */
	TIMELINE_STATES
};

struct instant {
	uint64_t time_ns;   /* by the clock of profile_realtime_ns(); whole microseconds are kept */
	uint64_t weight_ns; /* not 0 */
	uint32_t sample;    /* index of the stack */
	enum timeline_state state;
};

#define TIMELINE_MOST_BYTES ((size_t)96 << 20)

/*
 * What of its weight lies before @time_ns: a tick stands for its moment, all or nothing; a wait
 * lasted for its weight, and ended then.
 */
static inline uint64_t instant_before(const struct instant *instant, uint64_t time_ns)
{
	uint64_t left = instant->time_ns > time_ns ? instant->time_ns - time_ns : 0;

	if (instant->state == TIMELINE_RUNNING)
		return instant->time_ns < time_ns ? instant->weight_ns : 0;
	return left < instant->weight_ns ? instant->weight_ns - left : 0;
}

/* -ENOMEM; -EINVAL: there is no such stack. An instant without weight is left out. */
int timeline_add(struct profile *profile, const struct instant *instant);
size_t timeline_instants(const struct profile *profile);
/* No stack has instants any more. */
void timeline_forget(struct profile *profile);

/* Walks over all instants, in the order in which they were added: about that of time. */
struct timeline_cursor {
	const struct profile *profile;
	size_t piece, row;
	struct timeline_rows *rows;
};

/* -ENOMEM. To be ended. The profile must not change meanwhile. */
int timeline_begin(struct timeline_cursor *cursor, const struct profile *profile);
bool timeline_next(struct timeline_cursor *cursor, struct instant *ret_instant);
void timeline_end(struct timeline_cursor *cursor);

/* First and last moment of all instants, as time since the profile's beginning. False: none. */
bool timeline_bounds(const struct profile *profile, uint64_t *ret_first_ns, uint64_t *ret_last_ns);
/*
 * From when to when the profile tells: from its beginning over its length, or the span that it is.
 * All instants lie in between. False: it has none.
 */
bool timeline_extent(const struct profile *profile, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

/*
 * A new profile of what happened from @from_ns (inclusive) to @to_ns (exclusive) after the
 * beginning of the profile; times are still told from there. Without the audit, but for
 * effective_samples. What has no instants (time without a sample) is left out. -ENOMEM; -ENODATA:
 * the profile has no time line.
 */
int timeline_span(const struct profile *profile, uint64_t from_ns, uint64_t to_ns,
	struct profile **ret_profile);

#endif
