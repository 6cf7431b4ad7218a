/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/rhythm.h"

/* Who is off by a larger part of a cycle is not in time. */
#define TOLERANCE_PART 8
/* So many wakings may confirm nothing. */
#define UNSURE_MOST 3
/* A cycle is measured by spans that are not longer than this part of it. */
#define SPAN_PART 4

/* By how much the time @at is before the span (negative) or after it (positive). */
static int64_t off(uint64_t at, uint64_t from, uint64_t to)
{
	return at < from ? -(int64_t)(from - at) : at > to ? (int64_t)(at - to) : 0;
}

/* Is a waking expected in the span, or nearly? Some before it may have been missed. */
static uint64_t expected(
	const struct rhythm *rhythm, uint64_t from, uint64_t to, uint64_t *ret_cycles)
{
	uint64_t cycle = rhythm->cycle_ns, tolerance = cycle / TOLERANCE_PART, n, at;

	if (!cycle || to < rhythm->wake_ns)
		return 0;
	n = (to + tolerance - rhythm->wake_ns) / cycle;
	at = rhythm->wake_ns + n * cycle;
	/* That one may be still to come. */
	if (n > 1 && at > to && at - cycle >= from) {
		at -= cycle;
		n--;
	}
	if (!n || at + tolerance < from)
		return 0;
	*ret_cycles = n;
	return at;
}

/* A waking that was expected at @at, @cycles after the last one that was. */
static void keep_time(
	struct rhythm *rhythm, uint64_t at, uint64_t cycles, uint64_t from, uint64_t to)
{
	int64_t error = off(at, from, to);

	/* In a longer span there is always one that could have been expected. */
	if (to - from <= rhythm->cycle_ns / 2)
		rhythm->unsure = 0;
	rhythm->cycle_ns = (uint64_t)((int64_t)rhythm->cycle_ns - error / (2 * (int64_t)cycles));
	rhythm->wake_ns = rhythm->last_ns = (uint64_t)((int64_t)at - error);
}

/* A cycle is what was between the last two wakings; the next one will tell if it is. */
static void measure(struct rhythm *rhythm, uint64_t at, uint64_t span)
{
	uint64_t cycle = rhythm->last_ns && at > rhythm->last_ns ? at - rhythm->last_ns : 0;

	rhythm->cycle_ns = span <= cycle / SPAN_PART ? cycle : 0;
	rhythm->wake_ns = rhythm->last_ns = at;
	if (rhythm->unsure > UNSURE_MOST)
		rhythm->unsure = UNSURE_MOST;
}

void rhythm_woke(struct rhythm *rhythm, uint64_t from, uint64_t to)
{
	uint64_t middle = from + (to - from) / 2, cycles;
	uint64_t at = expected(rhythm, from, to, &cycles);
	bool was_in_time = rhythm->last_ns == rhythm->wake_ns;

	rhythm->unsure++;
	if (at)
		keep_time(rhythm, at, cycles, from, to);
	else if (was_in_time && to < rhythm->wake_ns + rhythm->cycle_ns / 2)
		rhythm->last_ns = middle; /* much too early, once: it is something else */
	else
		measure(rhythm, middle, to - from);
}

bool rhythm_is_known(const struct rhythm *rhythm)
{
	return rhythm->cycle_ns && rhythm->unsure <= UNSURE_MOST;
}

uint64_t rhythm_next(const struct rhythm *rhythm)
{
	return rhythm->wake_ns + rhythm->cycle_ns;
}
