/* SPDX-License-Identifier: MIT */
/*
 * What sampling takes from threads, of sampler.h: by how much the plans are shifted for it. The
 * picture is in sampler_state.h.
 */
#include <string.h>

#include "supervisor/sample/observe.h"
#include "supervisor/sample/sampler.h"

/* The mean counts a loss up to the first: more is a hypervisor's. Above the second: nothing. */
#define HELD_MOST_NS 400000
#define LOST_MOST_NS 1000000000
/* A longer stop had something else in its way. */
#define STOP_MOST_NS 80000
/* With a keeper only one of so many samples reads the machine's load: that steals CPU time. */
#define KEPT_LOOKS 4

/* No instant of the profile falls into the next @ns of the CPU, and what is still owed. */
static void leave_out(struct sample_cpu *c, int64_t ns)
{
	plan_shift(&c->plan, 0, ns + c->owed_ns, 0);
	c->left_out_ns[0] += ns;
	c->owed_ns = 0;
}

/*
 * The part that a loss of @ns on @cpu has in tables, which count on all CPUs alike: of several CPUs
 * at work each stands for its part only. @here: how much @cpu is at work, of AT_WORK.
 */
static int64_t part_of_tables(const struct sampler *s, unsigned cpu, int64_t ns, int32_t here)
{
	int64_t all = here;

	for (unsigned i = 0; i < s->cpus; i++)
		all += i == cpu ? 0 : s->cpu[i].at_work;
	return all ? ns * here / all : 0;
}

void sampler_had(struct sampler *s, unsigned cpu, uint64_t ns)
{
	struct sample_cpu *c = &s->cpu[cpu];

	c->had_ns += ns;
	leave_out(c, (int64_t)ns);
	if (cpu != s->host)
		return;
	/* What the tracing thread did for its own CPU's threads is part of what they are held. */
	if (s->errands + s->own_errands)
		ns = ns * s->errands / (s->errands + s->own_errands);
	for (unsigned stream = 1; stream < PLAN_STREAMS; stream++) {
		s->tables_owed_ns[stream] += part_of_tables(s, cpu, (int64_t)ns, c->at_work);
		c->left_out_ns[stream] += (int64_t)ns * c->at_work / AT_WORK;
	}
	s->errands = s->own_errands = 0;
}

void sampler_let_go(struct sampler *s, unsigned cpu)
{
	s->cpu[cpu].let_go++;
}

/* Work of the tracing thread for the thread that was met on @cpu. */
static void note_errand(struct sampler *s, unsigned cpu)
{
	*(cpu == s->host ? &s->own_errands : &s->errands) += 1;
}

void sampler_asked(struct sampler *s, struct sample_thread *t, bool from_afar)
{
	struct sample_cpu *c = &s->cpu[t->order.cpu];
	int64_t part = part_of_tables(s, t->order.cpu, (int64_t)s->held_ns, AT_WORK);

	t->stopping = true;
	/* Now, as whoever works with this thread has nothing to do during its stop. */
	if (!sampler_has_tables(s) &&
		(!sampler_is_kept(s, t->order.cpu) || s->figures.instants % KEPT_LOOKS == 0))
		observe_company(s, 1);
	note_errand(s, t->order.cpu);
	for (unsigned stream = 1; stream < PLAN_STREAMS; stream++) {
		for (unsigned i = 0; i < s->cpus; i++)
			plan_shift(&s->cpu[i].plan, stream, part + s->tables_owed_ns[stream],
				t->order.woke_ns);
		s->tables_owed_ns[stream] = 0;
		c->left_out_ns[stream] += (int64_t)s->held_ns;
	}
	if (from_afar)
		leave_out(c, (int64_t)s->stop_ns);
}

bool sampler_resumed(struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu,
	uint64_t end_ns, uint64_t stop_ns)
{
	struct sample_cpu *c = &s->cpu[t->order.cpu];
	uint64_t apart = end_ns - t->resumed_ns, ran = cpu->run_ns - t->resumed.run_ns;
	int64_t lost = apart > ran ? (int64_t)(apart - ran) : 0;
	bool steady = c->resumed == t &&
		cpu->slices - t->resumed.slices == observe_turns(s, t->order.cpu) &&
		cpu->wait_ns - t->resumed.wait_ns <= c->had_ns + SAMPLE_WAKE_NS;

	note_errand(s, t->order.cpu);
	sampler_follow(&s->stop_ns, stop_ns, STOP_MOST_NS);
	if (sampler_has_tables(s)) /* see COMPANY_TABLES in ways.c */
		observe_company(s, 1);
	if (steady)
		t->steady += t->steady < SAMPLE_STEADY_MOST;
	else
		t->steady -= t->steady < SAMPLE_STEADY ? t->steady : SAMPLE_STEADY;
	steady = steady && lost < LOST_MOST_NS;
	if (steady) {
		s->loss = (struct sample_loss){apart, (uint64_t)lost};
		sampler_follow(&s->held_ns, (uint64_t)lost, HELD_MOST_NS);
		c->owed_ns += lost - c->left_out_ns[0];
		for (unsigned i = 1; i < PLAN_STREAMS; i++)
			s->tables_owed_ns[i] +=
				part_of_tables(s, t->order.cpu, lost - c->left_out_ns[i], AT_WORK);
	}
	for (unsigned i = 0; i < s->cpus; i++)
		if (s->cpu[i].resumed == t)
			s->cpu[i].resumed = NULL;
	c->resumed = t;
	c->had_ns = 0;
	c->let_go = 0;
	memset(c->left_out_ns, 0, sizeof(c->left_out_ns));
	t->resumed = *cpu;
	t->resumed_ns = end_ns;
	return steady;
}

void sampler_lose(struct sampler *s, struct sample_thread *t)
{
	struct sample_cpu *c = &s->cpu[t->order.cpu];

	t->stopping = false;
	s->figures.late += t->order.streams & 1;
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		if (t->order.streams & 1u << i)
			c->left_out_ns[i] += (int64_t)plan_lose(&c->plan, i, t->order.weight_ns[i]);
}
