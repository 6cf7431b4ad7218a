/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/ticks.h"

/* The most ticks that an account holds, above or below 0; what exceeds it is lost. */
#define TICKS_OWED 100
/* The most by which one tick is corrected, in ticks. */
#define TICKS_PAID 16
/*
 * A tick that weighs one period is corrected by 1/TICKS_PART of what is owed. One that weighs two
 * periods (the longest gap: TABLE_STRETCH_MOST in plan.c) or more is corrected by all of it.
 */
#define TICKS_PART 2

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
 * Returns the correction of a tick of @weight_ns. It is proportional to what is owed: if nothing is
 * owed on average, the mean correction is 0. It is also proportional to the weight. Instants are
 * rare on a CPU where the thread has not been hit yet, but they weigh more: so what is owed is
 * corrected equally fast there. The sum of weight and correction is negative only if the account is
 * below -TICKS_PART periods.
 */
static int64_t correction(int64_t owed_ns, int64_t weight_ns, int64_t period_ns)
{
	int64_t most = TICKS_PAID * period_ns, c;

	if (weight_ns > TICKS_PART * period_ns)
		weight_ns = TICKS_PART * period_ns;
	c = (int64_t)((__int128)owed_ns * weight_ns / (TICKS_PART * period_ns));
	if (c > most)
		return most;
	return c;
}

/*
 * A table's ticks are to be as many as periods fit into the thread's CPU time. After lost instants,
 * or too many or too few hits, the next ticks weigh more or less. The correction adds no bias to
 * the number of ticks, however short the thread's life. This is because what is owed is known
 * before the instant, and the time of an instant depends on nothing (plan.h): the mean correction
 * is 0. The profile (stream 0) needs no correction: its weights only distribute the kernel's CPU
 * time.
 */
void ticks_settle(struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu)
{
	struct plan_due *due = &t->hit.due;

	for (unsigned i = 1; i < PLAN_STREAMS; i++) {
		struct sample_account *a = &t->account[i];
		int64_t period = (int64_t)s->period_ns[i], most = TICKS_OWED * period;
		uint64_t ran = cpu->run_ns - (a->ticked_ns ? a->ticked_ns : a->began_ns);
		int64_t weight = (int64_t)due->weight_ns[i];

		/* A stream may have ended since the instant. */
		if (!(due->streams & 1u << i) || !period)
			continue;
		a->owed_ns += (int64_t)ran;
		weight += correction(a->owed_ns, weight, period);
		if (weight < 0)
			weight = 0;
		a->owed_ns -= weight;
		if (a->owed_ns > most)
			a->owed_ns = most;
		if (a->owed_ns < -most)
			a->owed_ns = -most;
		a->ticked_ns = cpu->run_ns;
		due->weight_ns[i] = (uint64_t)weight;
	}
}
