/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/ticks.h"

/* The most ticks that an account holds, above or below 0; what exceeds it is lost. */
#define TICKS_OWED 100
/* The most by which one tick is corrected, in ticks. */
#define TICKS_PAID 16
/* A tick that weighs one period is corrected by 1/TICKS_PART of what is owed. */
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
 * Returns the CPU time that account @a owed when the period of its present tick began, at
 * @begin_ns. Of @ran_ns, the CPU time since the last tick, the part after @begin_ns is left out.
 * This part is estimated, as the mean of two cases: the thread has kept its CPU since @begin_ns; it
 * has run evenly since its last tick. Either case alone is off by up to a fifth of a period. If the
 * last tick lies in the same period, by an instant of another CPU, the result is that of the last
 * tick.
 */
static int64_t owed_at_begin(
	const struct sample_account *a, uint64_t ran_ns, uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t since = now_ns > begin_ns ? now_ns - begin_ns : 0;
	uint64_t most = ran_ns < since ? ran_ns : since, even = most;

	if (a->at_ns && (begin_ns <= a->at_ns || now_ns <= a->at_ns))
		return a->open_ns;
	if (a->at_ns)
		even = (uint64_t)((unsigned __int128)ran_ns * since / (now_ns - a->at_ns));
	return a->owed_ns + (int64_t)ran_ns - (int64_t)((most + even) / 2);
}

/*
 * Returns by how much a tick of @weight_ns is corrected. The correction is proportional to what is
 * owed: if that is 0 on average, so is the correction. If -TICKS_PART periods are owed, a tick of
 * one period weighs nothing.
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
 * A table's ticks are to be as many as periods fit into the thread's CPU time. If an instant was
 * lost, or the thread was hit too often or too seldom, its next ticks weigh more or less. The
 * correction is fixed when a period begins, and the period's instant comes at a random time. So the
 * correction depends neither on that time nor on where the thread is found, and the number of ticks
 * has no bias, however short the thread's life. The profile (stream 0) needs no correction: its
 * weights only distribute the CPU time that the kernel reports.
 */
void ticks_settle(struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu)
{
	struct plan_due *due = &t->hit.due;

	for (unsigned i = 1; i < PLAN_STREAMS; i++) {
		struct sample_account *a = &t->account[i];
		int64_t period = (int64_t)s->period_ns[i], most = TICKS_OWED * period;
		uint64_t ran = cpu->run_ns - (a->at_ns ? a->ticked_ns : a->began_ns);
		int64_t weight = (int64_t)due->weight_ns[i];

		/* A stream may have ended since the instant. */
		if (!(due->streams & 1u << i) || !period)
			continue;
		a->open_ns = owed_at_begin(a, ran, due->begin_ns[i], t->hit.woke_ns);
		weight += correction(a->open_ns, weight, period);
		if (weight < 0)
			weight = 0;
		a->owed_ns += (int64_t)ran - weight;
		if (a->owed_ns > most)
			a->owed_ns = most;
		if (a->owed_ns < -most)
			a->owed_ns = -most;
		a->ticked_ns = cpu->run_ns;
		a->at_ns = t->hit.woke_ns;
		due->weight_ns[i] = (uint64_t)weight;
	}
}
