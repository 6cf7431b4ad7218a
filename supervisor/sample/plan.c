/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/plan.h"

#include <stddef.h>

/* Misses in a row before slots become longer. */
#define MISSES_FIRST 16
/*
 * So many slots at most go to one instant when those of others were lost. Of the profile few: where
 * the tracing thread's CPU is taken away for some ms, it is better to have one sample less than one
 * that weighs as many. A table counts what it lost, as far as the thread has run.
 */
#define LOST_PROFILE 2
#define LOST_MOST    16

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
 * An exponentially distributed number with the mean @mean_ns, by von Neumann's method: of a falling
 * run of uniform numbers the first one counts if the run is odd, else one more whole and another
 * run.
 */
static uint64_t exponential(struct plan_random *random, uint64_t mean_ns)
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

/*
 * Even gaps are exponential up to EVEN_FIRST, with EVEN_SLOW as the mean, and from there on with
 * EVEN_FAST, all of the mean.
 */
#define EVEN_FIRST 0.75
#define EVEN_SLOW  (16.0 / 9)
#define EVEN_FAST  0.5918

/* The gap to the next instant. */
static uint64_t random_gap(const struct plan *plan, struct plan_random *random, uint64_t mean_ns)
{
	double mean = (double)mean_ns;
	uint64_t first = (uint64_t)(mean * EVEN_FIRST), gap;

	if (!plan->even)
		return exponential(random, mean_ns);
	gap = exponential(random, (uint64_t)(mean * EVEN_SLOW));
	return gap < first ? gap : first + exponential(random, (uint64_t)(mean * EVEN_FAST));
}

/*
 * The instants of a table are the same on all CPUs: drawn from the slot's own beginning. So a
 * thread that is moved about is met once a slot, as one that stays is.
 */
static void lay_slot(struct plan_stream *s, uint64_t slot_ns, uint64_t span_ns)
{
	struct plan_random own = {(slot_ns + s->period_ns) * UINT64_C(0x9e3779b97f4a7c15) | 1};

	s->slot_ns = slot_ns;
	s->span_ns = span_ns;
	(void)plan_random(&own, span_ns);
	s->next_ns = slot_ns + plan_random(&own, span_ns);
}

void plan_set(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns,
	struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];

	if (s->period_ns == period_ns)
		return;
	*s = (struct plan_stream){.period_ns = period_ns, .span_ns = period_ns, .slot_ns = now_ns};
	if (period_ns && stream)
		lay_slot(s, now_ns, period_ns);
	else if (period_ns)
		s->next_ns = now_ns +
			(plan->slotted ? plan_random(random, period_ns)
				       : random_gap(plan, random, period_ns));
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

uint64_t plan_lose(struct plan *plan, unsigned stream, uint64_t weight_ns)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t most = (stream ? LOST_MOST : LOST_PROFILE) * s->span_ns,
		 all = s->lost_ns + weight_ns;

	s->lost_ns = all < most ? all : most;
	return all - s->lost_ns;
}

/* The next instant of the profile, after @now_ns; what those weigh that are before that. */
static uint64_t lay_instant(
	struct plan *plan, uint64_t now_ns, uint64_t span_ns, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[0];
	uint64_t passed = 0;

	s->span_ns = span_ns;
	s->next_ns += random_gap(plan, random, span_ns);
	for (; s->next_ns <= now_ns && passed < LOST_MOST * span_ns; passed += span_ns)
		s->next_ns += random_gap(plan, random, span_ns);
	if (s->next_ns <= now_ns)
		s->next_ns = now_ns + random_gap(plan, random, span_ns);
	s->slot_ns = s->next_ns - span_ns; /* a slot would end here */
	return passed;
}

/* The next slot; how long those were that have passed wholly. @random NULL: a table's. */
static uint64_t lay_next_slot(
	struct plan_stream *s, uint64_t now_ns, uint64_t span_ns, struct plan_random *random)
{
	uint64_t slot = s->slot_ns + s->span_ns, skipped = 0;

	if (slot + span_ns <= now_ns)
		skipped = (now_ns - slot) / span_ns * span_ns;
	lay_slot(s, slot + skipped, span_ns);
	if (random)
		s->next_ns = s->slot_ns + plan_random(random, span_ns);
	/* The part of a slot that has passed already cannot be looked at any more. */
	if (s->next_ns < now_ns)
		s->next_ns = now_ns;
	return skipped;
}

uint64_t plan_advance(struct plan *plan, unsigned stream, enum plan_outcome outcome,
	uint64_t now_ns, uint64_t factor_1024, unsigned most, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t span, passed, lost = outcome == PLAN_LOST ? plan_weight(plan, stream) : 0;

	if (outcome == PLAN_MET)
		s->misses = 0;
	else if (outcome == PLAN_NOBODY && s->misses < UINT32_MAX)
		s->misses++;
	span = s->period_ns * plan_stretch(s->misses, most);
	if (factor_1024 > 1024)
		span = (uint64_t)((unsigned __int128)span * factor_1024 / 1024);
	passed = stream || plan->slotted ? lay_next_slot(s, now_ns, span, stream ? NULL : random)
					 : lay_instant(plan, now_ns, span, random);
	s->passed = (unsigned)(passed / span);
	s->lost_ns = 0;
	return plan_lose(plan, stream, lost + passed);
}

void plan_restart(struct plan *plan, uint64_t now_ns, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[0];

	if (!s->period_ns)
		return;
	s->slot_ns = now_ns;
	s->next_ns = now_ns +
		(plan->slotted ? plan_random(random, s->span_ns)
			       : random_gap(plan, random, s->span_ns));
}

void plan_wake(struct plan *plan, uint64_t now_ns, struct plan_random *random)
{
	struct plan_stream *s = &plan->stream[0];

	if (!s->period_ns || plan_stretch(s->misses, UINT32_MAX) == 1)
		return;
	s->misses = 0;
	s->span_ns = s->period_ns;
	plan_restart(plan, now_ns, random);
}

void plan_shift(struct plan *plan, unsigned stream, int64_t ns, uint64_t now_ns)
{
	struct plan_stream *s = &plan->stream[stream];

	if (!s->period_ns)
		return;
	s->slot_ns += (uint64_t)ns;
	if (s->next_ns > now_ns)
		s->next_ns += (uint64_t)ns;
}
