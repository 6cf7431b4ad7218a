/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/keeper.h"

#include "base/clock.h"
#include "supervisor/engine/engine_state.h"

/* A stopped thread waits so long for the keeper to wake up. */
#define AWAIT_NS 50000
/* Without a ring the tracing thread wakes up so much later. */
#define TIMER_NS 5000000

static struct cpu_waiter *keeper_of(const struct sampling *s)
{
	struct cpu_waiter *w = s->sampler.keeper < 0 ? NULL : &s->waiter[s->sampler.keeper];

	return w && w->started && s->host >= 0 ? w : NULL;
}

bool keeper_stops(const struct sampling *s)
{
	const struct sample_thread *last = keeper_of(s) ? s->sampler.cpu[s->host].last : NULL;

	return last && last->stopping;
}

void keeper_order(struct sampling *s)
{
	struct cpu_waiter *w = keeper_of(s);

	/* While it keeps for a stop it is to go on with that. */
	if (w && !keeper_stops(s))
		cpu_waiter_keep(w, sampler_next(&s->sampler, (unsigned)s->host), s->sampler.rings);
}

uint64_t keeper_or_timer(const struct sampling *s, uint64_t at_ns, uint64_t now_ns)
{
	bool rings = s->sampler.rings && keeper_of(s) && !keeper_stops(s);

	return rings && at_ns > now_ns && at_ns != PLAN_NEVER ? at_ns + TIMER_NS : at_ns;
}

uint64_t keeper_called(const struct sampling *s, uint64_t planned_ns)
{
	const struct cpu_waiter *w = s->sampler.rings ? keeper_of(s) : NULL;
	uint64_t rang = w ? atomic_load(&w->rang_ns) : 0;

	return rang > planned_ns ? rang : planned_ns;
}

bool keeper_await(struct sampling *s)
{
	struct cpu_waiter *w = keeper_of(s);
	uint64_t until;

	if (!w || cpu_waiter_state(w) == CPU_WAITER_KEEPS)
		return true;
	until = clock_now() + AWAIT_NS;
	while (clock_now() < until)
		if (cpu_waiter_state(w) == CPU_WAITER_KEEPS)
			return true;
	return false;
}

void keeper_missed(struct engine *engine, struct tracee *t)
{
	struct sampler *sampler = &engine->sampling.sampler;
	int cpu = sampler_cpu(sampler, procfiles_read_last_cpu(&engine->files, t));

	if (cpu >= 0 && cpu != engine->sampling.host && t->sample)
		sampler_moved(sampler, t->sample, (unsigned)cpu);
}
