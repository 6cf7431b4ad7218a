/* SPDX-License-Identifier: MIT */
/*
 * Which threads that sleep are worth a reading: some in each tick, in turn. A server has many that have
 * not run for minutes; these are looked at in one round of sixteen.
 */
#include "supervisor/engine_internal.h"

#define DORMANT_NS UINT64_C(2000000000)
#define DORMANT_ROUNDS 16
/*
 * A reading costs 1 us, and 2 to 3 where the target has emptied the caches: some fortieth of the time
 * goes into them if there are enough threads. So of 1000 one that wakes up is seen within 40 ms. What it
 * has used by then is not lost, but goes to where it is seen, if it is. (At a fifth of that, of a hundred
 * Java threads that work 1 to 4 ms at a time, 42 % of the CPU time found a place in 8 s instead of 64 %.)
 * The wall clock wants to know where they sleep, and takes more.
 */
#define SHARE_NS      40000
#define WALL_SHARE_NS 20000
/* However long the last tick was ago, the busy ones shall not wait for long. */
#define MOST_SPAN_NS  20000000

size_t idle_looks(uint64_t *since_ns, uint64_t now, uint64_t share, size_t cold)
{
	uint64_t span = now - *since_ns;
	size_t looks;

	if (span > MOST_SPAN_NS)
		span = MOST_SPAN_NS;
	looks = span / share;
	/* What is left of the span is for the next tick. */
	*since_ns = now - span % share;
	return looks < cold ? looks : cold;
}

size_t idle_begin_tick(struct engine *engine, uint64_t now)
{
	return idle_looks(&engine->idle_since_ns, now,
		engine->options->wall ? WALL_SHARE_NS : SHARE_NS,
		engine->target.tracees - engine->target.hot);
}

struct tracee *idle_next(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	size_t cold = target->tracees - target->hot;

	for (size_t i = 0; i < cold; i++) {
		struct tracee *t;

		if (target->cold_cursor < target->hot || target->cold_cursor >= target->tracees) {
			target->cold_cursor = target->hot;
			target->cold_round++;
		}
		t = target->tracee[target->cold_cursor++];
		/* The wall clock wants to know of them, too. */
		if (engine->options->wall || now - t->credit.moved_at_ns < DORMANT_NS ||
			(target->cold_round + (uint64_t)t->tid) % DORMANT_ROUNDS == 0)
			return t;
	}
	return NULL;
}
