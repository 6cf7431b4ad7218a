/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/plan.h"

/* Misses in a row before slots become longer. */
#define MISSES_FIRST 16
/* So many slots at most go to one instant when those of others were lost; a table's. */
#define LOST_MOST       16
#define LOST_MOST_TABLE 1

void plan_seed(struct plan_random *random, uint64_t seed)
{
	random->state = seed ? seed : 1;
}

uint64_t plan_random(struct plan_random *random, uint64_t bound)
{
	uint64_t x = random->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random->state = x;
	x *= UINT64_C(2685821657736338717);
	return (uint64_t)(((unsigned __int128)x * bound) >> 64);
}

/*
 * The instants of a table are the same on all CPUs: drawn from the slot's own beginning. So a thread
 * that is moved about is met once a slot, as one that stays is.
 */
static void lay_slot(struct plan_stream *s, bool is_table, uint64_t slot_ns, uint64_t span_ns,
	struct plan_random *random)
{
	struct plan_random own = {(slot_ns + s->period_ns) * UINT64_C(0x9e3779b97f4a7c15) | 1};

	s->slot_ns = slot_ns;
	s->span_ns = span_ns;
	if (is_table)
		(void)plan_random(&own, span_ns);
	s->next_ns = slot_ns + plan_random(is_table ? &own : random, span_ns);
}

void plan_set(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns,
	struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];

	if (s->period_ns == period_ns)
		return;
	*s = (struct plan_stream){.period_ns = period_ns};
	if (period_ns)
		lay_slot(s, stream, now_ns, period_ns, random);
}

uint64_t plan_next(const struct plan *plan)
{
	uint64_t next = PLAN_NEVER;

	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		const struct plan_stream *s = &plan->stream[i];

		if (s->period_ns && s->next_ns < next)
			next = s->next_ns;
	}
	return next;
}

unsigned plan_due(const struct plan *plan, uint64_t ns)
{
	unsigned due = 0;

	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		due |= (unsigned)(plan->stream[i].period_ns && plan->stream[i].next_ns <= ns) << i;
	return due;
}

unsigned plan_stretch(unsigned misses, unsigned most)
{
	unsigned stretch = 1;

	for (unsigned limit = MISSES_FIRST; misses >= limit && stretch < most; limit *= 2)
		stretch *= 2;
	return stretch < most ? stretch : most;
}

uint64_t plan_weight(const struct plan *plan, unsigned stream)
{
	return plan->stream[stream].span_ns + plan->stream[stream].lost_ns;
}

/* Ticks of a table that come in heaps would be seen; the profile's weights are only weights. */
static uint64_t lost_most(unsigned stream)
{
	return stream ? LOST_MOST_TABLE : LOST_MOST;
}

void plan_lose(struct plan *plan, unsigned stream, uint64_t weight_ns)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t most = lost_most(stream) * s->span_ns;

	s->lost_ns = s->lost_ns + weight_ns < most ? s->lost_ns + weight_ns : most;
}

void plan_advance(struct plan *plan, unsigned stream, enum plan_outcome outcome, uint64_t now_ns,
	uint64_t factor_1024, unsigned most, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t slot = s->slot_ns + s->span_ns, span, skipped;

	s->lost_ns = outcome == PLAN_LOST ? plan_weight(plan, stream) : 0;
	if (outcome == PLAN_MET)
		s->misses = 0;
	else if (outcome == PLAN_NOBODY && s->misses < UINT32_MAX)
		s->misses++;
	span = s->period_ns * plan_stretch(s->misses, most);
	if (factor_1024 > 1024)
		span = (uint64_t)((unsigned __int128)span * factor_1024 / 1024);
	if (slot + span <= now_ns) {
		skipped = (now_ns - slot) / span * span;
		slot += skipped;
		s->lost_ns += skipped;
	}
	if (s->lost_ns > lost_most(stream) * span)
		s->lost_ns = lost_most(stream) * span;
	lay_slot(s, stream, slot, span, random);
	/* The part of a slot that has passed already cannot be looked at any more. */
	if (s->next_ns < now_ns)
		s->next_ns = now_ns;
}

static void shift(struct plan_stream *s, uint64_t ns)
{
	if (!s->period_ns)
		return;
	s->slot_ns += ns;
	s->next_ns += ns;
}

void plan_shift(struct plan *plan, uint64_t ns)
{
	shift(&plan->stream[0], ns);
}

void plan_shift_tables(struct plan *plan, uint64_t ns)
{
	for (unsigned i = 1; i < PLAN_STREAMS; i++)
		shift(&plan->stream[i], ns);
}
