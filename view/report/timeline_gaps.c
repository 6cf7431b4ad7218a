/* SPDX-License-Identifier: MIT */
/*
 * Finds gaps: times without a sample. Time is divided into slots, each of which keeps its first and
 * its last instant, because the instants of a merged profile are not in the order of time.
 *
 * A gap lasts at least PERIODS sampling periods. The sampler lengthens periods to bound its cost,
 * and where it finds no thread, so the length of the periods is taken from the weights of the
 * instants.
 *
 * A program that runs for 2 % of the time has a sample in one of 50 periods. So the share of a CPU
 * that it used right before and after the gap tells how many samples would be expected in the gap
 * if it went on. If PERIODS samples or more are expected, nothing ran in the gap (@sure). If fewer
 * than UNUSUAL are expected, their absence is chance, and this is no gap.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/timeline.h"
#include "view/report/timeline_report.h"

enum { MOST_SLOTS = 1 << 20, PERIODS = 20, UNUSUAL = 3 };

#define SLOT_NS UINT64_C(1000000)

struct slot {
	uint64_t first_ns, last_ns;
	uint32_t first, last; /* stacks of the first and the last instant */
	uint64_t period_ns;   /* the longest period of its instants */
	uint64_t instants;
	double weight_ns; /* sum of the weights of its instants, in ns */
	bool used;
};

struct gap_search {
	struct time_grid *grid;
	struct slot *slot;
	size_t slots;
	double share;       /* mean number of CPUs that run the chosen stacks */
	uint64_t period_ns; /* mean period of the instants, or the profile's if that is longer */
	bool has_waits;     /* threads that wait have instants, too */
};

static bool is_chosen(const struct time_grid *grid, uint32_t stack)
{
	struct sample sample = profile_sample(grid->frames.profile, stack);

	return filter_takes(
		&grid->frames.filter, grid->frames.profile, &grid->frames.places, &sample);
}

static uint64_t since(const struct time_grid *grid, uint64_t time_ns)
{
	uint64_t began = profile_realtime_ns(grid->frames.profile);

	return time_ns > began ? time_ns - began : 0;
}

static void note(struct gap_search *s, const struct instant *instant)
{
	uint64_t ns = since(s->grid, instant->time_ns), all = s->grid->to_ns - s->grid->from_ns;
	uint64_t in = ns > s->grid->from_ns ? ns - s->grid->from_ns : 0;
	size_t at = (size_t)((double)in / (double)all * (double)s->slots);
	struct slot *slot = &s->slot[at < s->slots ? at : s->slots - 1];

	if (!slot->used || ns < slot->first_ns) {
		slot->first_ns = ns;
		slot->first = instant->sample;
	}
	if (!slot->used || ns >= slot->last_ns) {
		slot->last_ns = ns;
		slot->last = instant->sample;
	}
	if (instant->weight_ns > slot->period_ns)
		slot->period_ns = instant->weight_ns;
	slot->weight_ns += (double)instant->weight_ns;
	slot->instants++;
	slot->used = true;
}

static int read_instants(struct gap_search *s)
{
	struct timeline_cursor cursor;
	struct instant instant;
	double weight_ns = 0;
	size_t n = 0;
	int r = timeline_begin(&cursor, s->grid->frames.profile);

	while (r >= 0 && timeline_next(&cursor, &instant)) {
		s->has_waits |= instant.state != TIMELINE_RUNNING;
		if (instant.state != TIMELINE_RUNNING || !is_chosen(s->grid, instant.sample))
			continue;
		note(s, &instant);
		weight_ns += (double)instant.weight_ns;
		n++;
	}
	timeline_end(&cursor);
	if (!n)
		return -ENOENT;
	s->share = weight_ns / (double)(s->grid->to_ns - s->grid->from_ns);
	s->period_ns = profile_period_ns(s->grid->frames.profile);
	if (!s->period_ns)
		s->period_ns = (s->grid->to_ns - s->grid->from_ns) / n;
	if (weight_ns / (double)n > (double)s->period_ns)
		s->period_ns = (uint64_t)(weight_ns / (double)n);
	return r;
}

/*
 * Returns the mean number of CPUs that ran near slot @at: in as many slots, from @at in the
 * direction of @step, as are needed to have PERIODS instants. If there are fewer instants, returns
 * the mean of the whole time.
 */
static double share_near(const struct gap_search *s, size_t at, int step)
{
	uint64_t instants = 0, from_ns = UINT64_MAX, to_ns = 0;
	double weight_ns = 0;

	for (size_t i = at; i < s->slots && instants < PERIODS; i += (size_t)step) {
		const struct slot *slot = &s->slot[i];

		from_ns = slot->first_ns < from_ns ? slot->first_ns : from_ns;
		to_ns = slot->last_ns > to_ns ? slot->last_ns : to_ns;
		weight_ns += slot->weight_ns;
		instants += slot->instants;
	}
	if (instants < PERIODS)
		return s->share;
	return to_ns > from_ns ? weight_ns / (double)(to_ns - from_ns) : 1;
}

/* Adds the gap before slot @next if it is long enough; keeps the longest gaps. */
static void add_gap(struct gap_search *s, struct timeline_gap *gap, size_t next)
{
	struct time_grid *grid = s->grid;
	uint64_t period_ns = s->period_ns;
	double share = 1, expected;
	size_t shortest = 0;

	for (size_t i = next ? next - 1 : 0; i <= next && i < s->slots; i++) {
		double near = share_near(s, i, i < next ? -1 : 1);

		period_ns = s->slot[i].period_ns > period_ns ? s->slot[i].period_ns : period_ns;
		share = near < share ? near : share;
	}
	if (gap->to_ns <= gap->from_ns || (gap->to_ns - gap->from_ns) / PERIODS < period_ns)
		return;
	expected = (double)(gap->to_ns - gap->from_ns) / (double)period_ns * share;
	gap->sure = expected >= PERIODS;
	if (expected < UNUSUAL)
		return;
	grid->all_gaps++;
	if (grid->gaps == TIMELINE_MOST_GAPS) {
		for (size_t i = 1; i < grid->gaps; i++) {
			if (grid->gap[i].to_ns - grid->gap[i].from_ns <
				grid->gap[shortest].to_ns - grid->gap[shortest].from_ns)
				shortest = i;
		}
		if (gap->to_ns - gap->from_ns <=
			grid->gap[shortest].to_ns - grid->gap[shortest].from_ns)
			return;
		grid->gaps--;
		memmove(&grid->gap[shortest], &grid->gap[shortest + 1],
			(grid->gaps - shortest) * sizeof(*grid->gap));
	}
	grid->gap[grid->gaps++] = *gap;
}

static void compact(struct gap_search *s)
{
	size_t used = 0;

	for (size_t i = 0; i < s->slots; i++) {
		if (s->slot[i].used)
			s->slot[used++] = s->slot[i];
	}
	s->slots = used;
}

static void find(struct gap_search *s)
{
	struct timeline_gap gap = {.from_ns = s->grid->from_ns,
		.before = TIMELINE_NO_STACK,
		.blocked = TIMELINE_NO_STACK};

	compact(s);
	for (size_t i = 0; i < s->slots; i++) {
		gap.to_ns = s->slot[i].first_ns;
		gap.after = s->slot[i].first;
		add_gap(s, &gap, i);
		gap.from_ns = s->slot[i].last_ns;
		gap.before = s->slot[i].last;
	}
	gap.to_ns = s->grid->to_ns;
	gap.after = TIMELINE_NO_STACK;
	add_gap(s, &gap, s->slots);
}

/* Sets the stack blocked longest in each gap, and the time that threads waited for a CPU. */
static int find_waits(struct gap_search *s)
{
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_begin(&cursor, s->grid->frames.profile);

	while (r >= 0 && timeline_next(&cursor, &instant)) {
		uint64_t to = since(s->grid, instant.time_ns), from;

		if (instant.state == TIMELINE_RUNNING || !is_chosen(s->grid, instant.sample))
			continue;
		from = to > instant.weight_ns ? to - instant.weight_ns : 0;
		for (size_t i = 0; i < s->grid->gaps; i++) {
			struct timeline_gap *gap = &s->grid->gap[i];
			uint64_t a = from > gap->from_ns ? from : gap->from_ns;
			uint64_t b = to < gap->to_ns ? to : gap->to_ns;

			if (b > a && instant.state == TIMELINE_QUEUED) {
				gap->queued_ns += b - a;
			} else if (b > a && b - a > gap->blocked_ns) {
				gap->blocked_ns = b - a;
				gap->blocked = instant.sample;
			}
		}
	}
	timeline_end(&cursor);
	return r;
}

int time_grid_find_gaps(struct time_grid *grid)
{
	struct gap_search s = {.grid = grid};
	uint64_t slots = (grid->to_ns - grid->from_ns) / SLOT_NS + 1;
	int r;

	s.slots = slots > MOST_SLOTS ? MOST_SLOTS : (size_t)slots;
	s.slot = calloc(s.slots, sizeof(*s.slot));
	r = s.slot ? read_instants(&s) : -ENOMEM;
	if (r >= 0)
		find(&s);
	free(s.slot);
	if (r >= 0 && s.has_waits && grid->gaps)
		r = find_waits(&s);
	return r == -ENOENT ? 0 : r;
}
