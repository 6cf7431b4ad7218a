/* SPDX-License-Identifier: MIT */
/*
 * Which threads that sleep are worth a reading: some in each tick, in turn. A server has many that have
 * not run for minutes; these are looked at in one round of sixteen.
 */
#include "supervisor/engine_internal.h"

#define DORMANT_NS UINT64_C(2000000000)
#define DORMANT_ROUNDS 16
/* A reading costs some 1 us: at most a twentieth of the time goes into them. */
#define SHARE_NS   20000
#define LEAST_LOOKS 8

size_t idle_begin_tick(struct engine *engine, uint64_t now)
{
	uint64_t span = now - engine->idle_tick_ns;
	size_t cold = engine->target.tracees - engine->target.hot, looks;

	engine->idle_tick_ns = now;
	if (span > engine->wakeups.period_ns)
		span = engine->wakeups.period_ns;
	looks = span / SHARE_NS + LEAST_LOOKS;
	return looks < cold ? looks : cold;
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
