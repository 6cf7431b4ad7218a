/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/plan.h"

/* Misses in a row before slots become longer. */
#define MISSES_FIRST 16
/* So many instants at most does one stand for when others were lost or had passed. */
#define LOST_MOST 16

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
 * An exponentially distributed number with the mean @mean_ns, by von Neumann's method: of a falling run
 * of uniform numbers the first one counts if the run is odd, else one more whole and another run.
 */
static uint64_t random_gap(struct plan_random *random, uint64_t mean_ns)
{
	for (uint64_t whole = 0;; whole += mean_ns) {
		uint64_t first = plan_random(random, mean_ns), least = first, next;
		unsigned n = 1;

		for (; (next = plan_random(random, mean_ns)) < least; n++)
			least = next;
		if (n % 2)
			return whole + first;
	}
}

void plan_set(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns,
	struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];

	if (s->period_ns == period_ns)
		return;
	*s = (struct plan_stream){.period_ns = period_ns, .span_ns = period_ns};
	if (period_ns)
		s->next_ns = now_ns + random_gap(random, period_ns);
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

uint64_t plan_advance(struct plan *plan, unsigned stream, enum plan_outcome outcome,
	uint64_t now_ns, uint64_t factor_1024, unsigned most, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t span, passed = 0;

	s->lost_ns = outcome == PLAN_LOST ? plan_weight(plan, stream) : 0;
	if (outcome == PLAN_MET)
		s->misses = 0;
	else if (outcome == PLAN_NOBODY && s->misses < UINT32_MAX)
		s->misses++;
	span = s->period_ns * plan_stretch(s->misses, most);
	if (factor_1024 > 1024)
		span = (uint64_t)((unsigned __int128)span * factor_1024 / 1024);
	s->span_ns = span;
	for (s->next_ns += random_gap(random, span); s->next_ns <= now_ns && passed < LOST_MOST * span;
		s->next_ns += random_gap(random, span))
		passed += span;
	if (s->next_ns <= now_ns)
		s->next_ns = now_ns + random_gap(random, span);
	if (outcome == PLAN_LOST)
		s->lost_ns += passed;
	if (s->lost_ns > LOST_MOST * span)
		s->lost_ns = LOST_MOST * span;
	return passed;
}

void plan_shift(struct plan *plan, uint64_t ns)
{
	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		struct plan_stream *s = &plan->stream[i];

		if (s->period_ns)
			s->next_ns += ns;
	}
}
