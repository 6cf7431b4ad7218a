/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/ticks.h"

/* The most ticks that an account holds, above or below 0; what exceeds it is lost. */
#define TICKS_OWED 100
/* The most by which one tick is corrected, in ticks. */
#define TICKS_PAID 16

void ticks_forget(struct sample_thread *t, unsigned stream, uint64_t began_ns)
{
	t->account[stream] = (struct sample_account){.began_ns = began_ns};
}

void ticks_forget_all(struct sample_thread *t, uint64_t began_ns)
{
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		ticks_forget(t, i, began_ns);
}

/*
 * By how much the next tick is corrected. An account that is off by up to one period is left alone,
 * as the random place of the instant within its period causes that much.
 */
static int64_t correction(int64_t owed_ns, int64_t period_ns)
{
	if (owed_ns > (TICKS_PAID + 1) * period_ns)
		return TICKS_PAID * period_ns;
	if (owed_ns > period_ns)
		return owed_ns - period_ns;
	return owed_ns < -period_ns ? owed_ns + period_ns : 0;
}

/*
 * A table's ticks are to be as many as periods fit into the thread's CPU time. If an instant was
 * lost, or the thread was hit too often or too seldom, its next tick weighs more or less. The
 * correction is known before the instant, so it does not depend on where the thread is found. The
 * profile (stream 0) needs none: its weights only distribute the CPU time that the kernel reports.
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
