/* SPDX-License-Identifier: MIT */
/* The ways of sampler.h: from where the threads of each CPU are stopped, by what was met lately. */
#include "supervisor/sample/observe.h"
#include "supervisor/sample/sampler.h"

#define WAYS_NS 20000000
/* A CPU is the only one at work if the others have less than this part of what was met, */
#define ALONE_PART 16
/* or if so many instants in a row met the same thread, wherever it was. */
#define SAME_ALONE 32
/*
 * as long as others were runnable at no more than so many of 32 looks. Where tables count, the
 * noise of their few ticks weighs more than what being awake before the instant may change.
 */
#define COMPANY_MOST   2
#define COMPANY_TABLES 8
/*
 * Gaps are even where most instants meet somebody: of threads that work in turns on several CPUs
 * one that is held keeps all from going on, and the other CPUs' next instants would come sooner.
 */
#define EVEN_AT_WORK (AT_WORK / 4 * 3)

#define BARRED_NS UINT64_C(10000000000)

/*
 * May the tracing thread wait on the CPU of the one thread at work? In the fair class, beside a
 * thread that sleeps, it would come too late there. Instants of tables are the same on all CPUs: a
 * thread that has moved to the keeper's CPU would not be met.
 */
static bool may_be_kept(const struct sampler *s, unsigned cpu)
{
	return s->cpus == 2 && !sampler_has_tables(s) &&
		(s->realtime || observe_is_steady(&s->cpu[cpu]));
}

void sampler_bar(struct sampler *s, uint64_t now)
{
	s->barred = s->host;
	s->barred_until_ns = now + BARRED_NS;
	s->ways_next_ns = 0;
}

unsigned sampler_ways(struct sampler *s, uint64_t now)
{
	unsigned best = s->host;
	uint32_t all = 0;
	int company = sampler_has_tables(s) ? COMPANY_TABLES : COMPANY_MOST;
	bool uncontended = __builtin_popcount(s->company) <= company, alone, same, barred;

	s->ways_next_ns = now + WAYS_NS;
	s->keeper = -1;
	s->rings = false;
	for (unsigned i = 0; i < s->cpus; i++) {
		struct sample_cpu *c = &s->cpu[i];

		c->failures /= 2;
		c->recent -= c->recent / 8;
		all += c->recent;
		if (c->recent > s->cpu[best].recent)
			best = i;
	}
	/* Not to and fro between CPUs that are alike. */
	if (s->cpu[best].recent < 2 * s->cpu[s->host].recent)
		best = s->host;
	for (unsigned i = 0; i < s->cpus; i++) {
		if (s->cpu[i].way == SAMPLE_UNUSED)
			plan_restart(&s->cpu[i].plan, now, &s->random);
		s->cpu[i].way = SAMPLE_WAITER;
	}
	/*
	 * A thread that is resumed by one on its own CPU is moved to another CPU if that is idle.
	 * So where one thread is alone at work, the other CPU is kept from being idle, or the
	 * tracing thread is on another CPU. Nothing of this while others work: they would lose
	 * their CPU to us before the instant, and what they do for the target, or it for them,
	 * would stop.
	 */
	barred = s->cpus > 1 && now < s->barred_until_ns;
	if (barred && best == s->barred)
		best = !best;
	alone = s->cpus > 1 && all && uncontended && !barred;
	same = s->met && (s->same >= SAME_ALONE || s->threads == 1);
	if (alone && same)
		best = (unsigned)s->met->cpu;
	if (alone && (same || all - s->cpu[best].recent < all / ALONE_PART)) {
		if (may_be_kept(s, best)) {
			s->keeper = !best;
			if (s->threads == 1)
				s->cpu[!best].way = SAMPLE_UNUSED;
			/* No end of a call comes before the ring has reached the thread's CPU. */
			s->rings = s->cpu[best].last && !s->cpu[best].last->near;
		} else {
			s->cpu[best].way = SAMPLE_AWAITED;
			best = best == s->host ? !best : s->host;
		}
	}
	s->host = best;
	s->cpu[best].way = SAMPLE_HOSTED;
	for (unsigned i = 0; i < s->cpus; i++) {
		s->cpu[i].plan.even = uncontended && s->cpu[i].at_work > EVEN_AT_WORK;
		s->cpu[i].plan.slotted = s->cpu[i].way == SAMPLE_AWAITED || sampler_is_kept(s, i);
	}
	return best;
}
