/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/ticks.h"

/* A table's account with a thread goes so far, in ticks; what is beyond that is lost. */
#define TICKS_OWED 100
/* One tick puts right so many ticks of the account at most. */
#define TICKS_PAID 16

void ticks_forget(struct sample_thread *t, unsigned stream, uint64_t began_ns)
{
	t->account[stream] = (struct sample_account){.began_ns = began_ns};
}

/* What a tick puts right where a table's account is off by more than chance in a slot makes it. */
static int64_t correction(int64_t owed_ns, int64_t period_ns)
{
	if (owed_ns > (TICKS_PAID + 1) * period_ns)
		return TICKS_PAID * period_ns;
	if (owed_ns > period_ns)
		return owed_ns - period_ns;
	return owed_ns < -period_ns ? owed_ns + period_ns : 0;
}

/*
 * A table's ticks are to be as many as the thread's CPU time has. Those that were lost are counted
 * with the next one, as far as the thread has run since its last one: the rest was taken by a
 * hypervisor, or by others. And where the thread was found too often or too seldom, as the look
 * itself changes its turns, its next tick weighs as much less or more: that is known before the
 * look. A profile's weights are only weights, by which the thread's CPU time is divided.
 */
void ticks_settle(struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu)
{
	struct sample_order *o = &t->order;

	for (unsigned i = 1; i < PLAN_STREAMS; i++) {
		struct sample_account *a = &t->account[i];
		int64_t period = (int64_t)s->period_ns[i], most = TICKS_OWED * period;
		uint64_t ran = cpu->run_ns - (a->ticked_ns ? a->ticked_ns : a->began_ns);
		uint64_t beyond = o->lost_ns[i] > ran ? o->lost_ns[i] - ran : 0;
		int64_t weight = (int64_t)(o->weight_ns[i] - beyond);

		if (!(o->streams & 1u << i))
			continue;
		weight += correction(a->owed_ns, period);
		if (weight < 0)
			weight = 0;
		if (a->ticked_ns)
			a->owed_ns += (int64_t)ran - weight;
		if (a->owed_ns > most)
			a->owed_ns = most;
		if (a->owed_ns < -most)
			a->owed_ns = -most;
		a->ticked_ns = cpu->run_ns;
		o->weight_ns[i] = (uint64_t)weight;
		o->lost_ns[i] -= beyond;
		s->cpu[o->cpu].left_out_ns[i] += (int64_t)beyond;
	}
}
