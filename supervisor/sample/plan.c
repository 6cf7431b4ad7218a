/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/plan.h"

#include <stdbool.h>

/* A table's gaps are two periods at most, also on a CPU that has had no hits for a while. */
#define TABLE_STRETCH_MOST (2 * PLAN_ONE)

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
 * Returns an exponentially distributed number, by von Neumann's method: a run of uniform numbers is
 * drawn while each is less than the one before. If the run's length is odd, its first number is the
 * result; if not, @mean_ns is added and another run is drawn.
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

static void draw(struct plan *plan, unsigned stream, uint64_t from_ns)
{
	struct plan_stream *s = &plan->stream[stream];
	uint64_t factor = stream ? PLAN_ONE : plan->factor_1024, stretch = plan->stretch_1024;

	if (stream && stretch > TABLE_STRETCH_MOST)
		stretch = TABLE_STRETCH_MOST;
	s->span_ns = (uint64_t)((unsigned __int128)s->period_ns * factor / PLAN_ONE * stretch /
		PLAN_ONE);
	s->next_ns = from_ns + exponential(&plan->random, s->span_ns);
}

void plan_init(struct plan *plan, uint64_t seed)
{
	*plan = (struct plan){.factor_1024 = PLAN_ONE, .stretch_1024 = PLAN_ONE};
	plan_seed(&plan->random, seed);
}

void plan_set_period(struct plan *plan, unsigned stream, uint64_t period_ns, uint64_t now_ns)
{
	struct plan_stream *s = &plan->stream[stream];

	if (s->period_ns == period_ns)
		return;
	*s = (struct plan_stream){.period_ns = period_ns};
	if (period_ns)
		draw(plan, stream, now_ns);
}

void plan_set_factors(
	struct plan *plan, uint64_t factor_1024, uint64_t stretch_1024, uint64_t now_ns)
{
	bool shorter = stretch_1024 < plan->stretch_1024;

	plan->factor_1024 = factor_1024;
	plan->stretch_1024 = stretch_1024;
	for (unsigned i = 0; i < PLAN_STREAMS && shorter; i++) {
		struct plan_stream *s = &plan->stream[i];

		if (s->period_ns && s->next_ns > now_ns)
			draw(plan, i, now_ns);
	}
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

static bool is_due(const struct plan_stream *s, uint64_t now_ns)
{
	return s->period_ns && s->next_ns <= now_ns;
}

void plan_take(struct plan *plan, uint64_t now_ns, struct plan_due *ret_due)
{
	*ret_due = (struct plan_due){0};
	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		struct plan_stream *s = &plan->stream[i];

		ret_due->streams |= (unsigned)is_due(s, now_ns) << i;
		while (is_due(s, now_ns)) {
			ret_due->weight_ns[i] += s->span_ns;
			draw(plan, i, s->next_ns);
		}
	}
}

void plan_drop(struct plan *plan, uint64_t now_ns)
{
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		while (is_due(&plan->stream[i], now_ns))
			draw(plan, i, now_ns);
}
