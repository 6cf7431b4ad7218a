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
 * A table's ticks are to be as many as the thread's CPU time has. Where an instant was lost, or the
 * thread was hit too often or too seldom, its next tick weighs as much more or less: that is known
 * before the instant. A profile's weights are only weights, by which the thread's CPU time is
 * divided.
 */
void ticks_settle(struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu)
{
	struct plan_due *due = &t->hit.due;

	for (unsigned i = 1; i < PLAN_STREAMS; i++) {
		struct sample_account *a = &t->account[i];
		int64_t period = (int64_t)s->period_ns[i], most = TICKS_OWED * period;
		uint64_t ran = cpu->run_ns - (a->ticked_ns ? a->ticked_ns : a->began_ns);
		int64_t weight = (int64_t)due->weight_ns[i];

		if (!(due->streams & 1u << i))
			continue;
		weight += correction(a->owed_ns, period);
		if (weight < 0)
			weight = 0;
		a->owed_ns += (int64_t)ran - weight;
		if (a->owed_ns > most)
			a->owed_ns = most;
		if (a->owed_ns < -most)
			a->owed_ns = -most;
		a->ticked_ns = cpu->run_ns;
		due->weight_ns[i] = (uint64_t)weight;
	}
}
