/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/bounds.h"

#include <time.h>

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

static void keep_throttle(struct engine *engine, uint64_t now)
{
	const struct engine_options *options = engine->options;
	uint64_t bound = options->max_cpu_ppm, analyst_ns = 0;
	clockid_t clock;

	if (!bound || !throttle_is_due(&engine->bounds.throttle, now))
		return;
	if (engine->period_ns < options->max_cpu_period_ns)
		bound = bound * options->max_cpu_period_ns / engine->period_ns;
	if (engine->reader.link.pid && clock_getcpuclockid(engine->reader.link.pid, &clock) == 0)
		analyst_ns = clock_read(clock);
	engine->audit.yielded_ns += throttle_see(&engine->bounds.throttle, now,
		clock_read(CLOCK_PROCESS_CPUTIME_ID), analyst_ns, bound);
}

/*
 * Each bound (--max-cost, --max-cpu) calls for a factor by which gaps become longer. The greater
 * factor keeps both bounds.
 */
void bounds_keep(struct engine *engine, uint64_t now)
{
	uint64_t factor;

	if (engine->counting)
		cost_keep(&engine->bounds.cost, now, engine->audit.ticks);
	factor = cost_factor(&engine->bounds.cost, engine->period_ns);
	/*
	 * By chance the samples have cost more than the bound: the period is doubled until the
	 * allowance (cost.h) is not negative. To leave out samples would not help, as an instant
	 * without a sample costs nearly as much.
	 */
	if (cost_is_spent(&engine->bounds.cost))
		factor *= 2;
	keep_throttle(engine, now);
	if (engine->bounds.throttle.factor > factor)
		factor = engine->bounds.throttle.factor;
	engine->sampling.sampler.factor_1024 = factor;
}
