/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/ticks.h"

/* The most ticks that an account holds, above or below 0; what exceeds it is lost. */
#define TICKS_OWED 100
/* The most by which one tick is corrected, in ticks. */
#define TICKS_PAID 16
/* A tick of one period pays 1/TICKS_PART of what the account is off by. */
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
 * What account @a was off by when the period of its present tick began, at @begin_ns. @ran_ns: CPU
 * time since its last tick. How much of that is older than @begin_ns is estimated: the mean of two
 * cases, that the thread has not lost its CPU since then, and that it has run evenly since its last
 * tick. Either alone is off by up to a fifth of a period. If another CPU's instant had a tick in
 * the same period, that tick is left out.
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
 * By how much a tick of @weight_ns is corrected: in proportion to what is owed, so that the mean is
 * 0 if that has the mean 0. A tick of one period that is owed -TICKS_PART periods weighs nothing.
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
 * correction is known when the period begins at a random time of which the instant comes: so it
 * depends neither on that time nor on where the thread is found, and the number of ticks has no
 * bias, however short the thread's life. The profile (stream 0) needs none: its weights only
 * distribute the CPU time that the kernel reports.
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
