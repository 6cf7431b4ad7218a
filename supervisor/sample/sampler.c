/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "supervisor/os/mem.h"
#include "supervisor/sample/observe.h"
#include "supervisor/sample/ticks.h"

/*
 * An instant that comes later than this is, in the fair class, a moment that the scheduler chose,
 * often the end of somebody's turn. In real time only the kernel delays a wake-up, in a call.
 */
#define LATE_NS      100000
#define LATE_MOST_NS 20000000
/* Some machines take that long by themselves: so many times what is usual is not late, either. */
#define LATE_USUAL 3
/* Later than this in the fair class, we were let in by a thread that gave up its CPU itself. */
#define PROMPT_NS 40000
/* A thread waits for its CPU while we have it, and this much longer at most. */
#define SWITCH_NS 200000
/* Added to a CPU's failures by a proof that failed: until they are halved to 0 it needs stamps. */
#define FAILURE 4
/* How often SAMPLE_UNCALLED is doubled for a thread that was found in a call after a ring. */
#define UNCALLED_DOUBLED 6
/* What an instant that met somebody adds to sample_cpu.recent. */
#define MET_WEIGHT 256
/* What a sample takes from its thread, and how long its stop is, before any was measured. */
#define USUAL_HELD_NS 80000
#define USUAL_STOP_NS 20000
#define USUAL_ASK_NS  2500
/* How late an instant is, before any has come; how fast and how far that is followed. */
#define USUAL_LATE_NS      20000
#define USUAL_LATE_STEP_NS 500
#define USUAL_LATE_MOST_NS 100000
/* The longest slot of a CPU where nobody is met, in periods: the profile's; a table's. */
#define STRETCH_PROFILE 16
#define STRETCH_TABLE   4
/* Periods in which nobody was met, before slots of a table become longer. */
#define TABLE_IDLE 64

int sampler_init(struct sampler *s, const struct probe *probe, void *context, const int *numbers,
	unsigned cpus, uint64_t seed)
{
	*s = (struct sampler){.probe = probe,
		.context = context,
		.factor_1024 = 1024,
		.keeper = -1,
		.held_ns = USUAL_HELD_NS,
		.stop_ns = USUAL_STOP_NS,
		.ask_ns = USUAL_ASK_NS,
		.usual_late_ns = USUAL_LATE_NS};
	s->cpu = mem_new(cpus, sizeof(*s->cpu));
	if (!s->cpu)
		return -ENOMEM;
	s->cpus = cpus;
	for (unsigned i = 0; i < cpus; i++)
		s->cpu[i] = (struct sample_cpu){
			.number = numbers[i], .way = i ? SAMPLE_WAITER : SAMPLE_HOSTED};
	plan_seed(&s->random, seed);
	return 0;
}

void sampler_release(struct sampler *s)
{
	free(s->cpu);
	free(s->thread);
	*s = (struct sampler){0};
}

void sampler_set_period(struct sampler *s, unsigned stream, uint64_t period_ns, uint64_t now_ns)
{
	if (s->period_ns[stream] == period_ns)
		return;
	s->period_ns[stream] = period_ns;
	for (size_t i = 0; i < s->threads; i++)
		ticks_forget(s->thread[i], stream, s->thread[i]->account[stream].began_ns);
	for (unsigned i = 0; i < s->cpus; i++) {
		/* Without instants nobody has seen whether a thread slept since its last stop. */
		s->cpu[i].resumed = NULL;
		plan_set(&s->cpu[i].plan, stream, period_ns, now_ns, &s->random);
	}
}

static void unlink_thread(struct sampler *s, struct sample_thread *t)
{
	*(t->newer ? &t->newer->older : &s->newest) = t->older;
	*(t->older ? &t->older->newer : &s->oldest) = t->newer;
	t->newer = t->older = NULL;
}

static void link_newest(struct sampler *s, struct sample_thread *t)
{
	t->newer = NULL;
	t->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = t;
	s->newest = t;
}

int sampler_add(struct sampler *s, struct sample_thread *t, void *owner)
{
	if (mem_grow((void **)&s->thread, &s->room, s->threads + 1, sizeof(*s->thread)) < 0)
		return -ENOMEM;
	*t = (struct sample_thread){
		.owner = owner, .slot = s->threads, .cpu = -1, .near = SAMPLE_UNCALLED};
	s->thread[s->threads++] = t;
	if (s->keeper >= 0)
		s->ways_next_ns = 0; /* it may be on any CPU */
	link_newest(s, t);
	return 0;
}

void sampler_remove(struct sampler *s, struct sample_thread *t)
{
	unlink_thread(s, t);
	s->thread[t->slot] = s->thread[--s->threads];
	s->thread[t->slot]->slot = t->slot;
	for (unsigned i = 0; i < s->cpus; i++) {
		if (s->cpu[i].last == t)
			s->cpu[i].last = NULL;
		if (s->cpu[i].resumed == t)
			s->cpu[i].resumed = NULL;
	}
	if (s->met == t) {
		s->met = NULL;
		s->same = 0;
	}
}

void sampler_heed(struct sampler *s, struct sample_thread *t)
{
	if (s->newest == t)
		return;
	unlink_thread(s, t);
	link_newest(s, t);
}

void sampler_renew(struct sample_thread *t)
{
	t->near = SAMPLE_UNCALLED;
	t->flights = 0;
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		ticks_forget(t, i, 0);
}

void sampler_forget_ticks(struct sampler *s, struct sample_thread *t)
{
	struct cpu_time cpu = {0};

	(void)s->probe->cpu_time(s->context, t, &cpu);
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		ticks_forget(t, i, cpu.run_ns);
}

int sampler_cpu(const struct sampler *s, int number)
{
	for (unsigned i = 0; i < s->cpus; i++)
		if (s->cpu[i].number == number)
			return (int)i;
	return -1;
}

uint64_t sampler_next(const struct sampler *s, unsigned cpu)
{
	return s->cpu[cpu].way == SAMPLE_UNUSED ? PLAN_NEVER : plan_next(&s->cpu[cpu].plan);
}

/* Where nobody was met for long, instants are rare: now there is somebody again. */
static void wake_other(struct look *l, uint64_t now)
{
	struct sampler *s = l->s;
	int number = l->elsewhere ? s->probe->last_cpu(s->context, l->elsewhere) : -1;
	int cpu = number < 0 ? -1 : sampler_cpu(s, number);

	if (cpu >= 0 && cpu != (int)l->cpu)
		plan_wake(&s->cpu[cpu].plan, now, &s->random);
}

static void met(struct sampler *s, unsigned cpu, struct sample_thread *t)
{
	struct sample_cpu *c = &s->cpu[cpu];

	c->last = t;
	c->at_work += ((t ? AT_WORK : 0) - c->at_work) / 16;
	if (!t) {
		c->resumed = NULL; /* it was not on its CPU all the time */
		return;
	}
	c->recent += MET_WEIGHT;
	t->cpu = (int)cpu;
	s->same = s->met == t ? s->same + 1 : 0;
	s->met = t;
	sampler_heed(s, t);
}

/*
 * The longest slot of a CPU where nobody is met, in periods. Of a table only if nobody is met on
 * any CPU: otherwise a thread that is moved there would get its ticks in heaps.
 */
static unsigned longest_slot(const struct sampler *s, unsigned stream, uint64_t now)
{
	if (!stream)
		return s->cpus > STRETCH_PROFILE ? s->cpus : STRETCH_PROFILE;
	return now - s->met_ns[stream] > TABLE_IDLE * s->period_ns[stream] ? STRETCH_TABLE : 1;
}

/*
 * Plans the next instant of @stream, and returns what the present one weighs; @ret_lost: how much
 * of that stands for instants that were lost, or have passed by now.
 */
static uint64_t advance_stream(struct sampler *s, struct sample_cpu *c, unsigned stream,
	enum plan_outcome outcome, uint64_t now, uint64_t *ret_lost)
{
	struct plan *plan = &c->plan;
	uint64_t weight = plan_weight(plan, stream), factor = stream ? 1024 : s->factor_1024;
	unsigned most = longest_slot(s, stream, now);

	/* Of instants that would have met somebody, as far as can be told. */
	if (!stream && outcome == PLAN_MET) {
		s->stretched_1024 += factor - 1024;
		s->figures.throttled += s->stretched_1024 / 1024;
		s->stretched_1024 %= 1024;
	}
	*ret_lost = plan->stream[stream].lost_ns;
	if (outcome == PLAN_LOST) {
		c->left_out_ns[stream] +=
			(int64_t)plan_advance(plan, stream, outcome, now, factor, most, &s->random);
		if (!stream) {
			s->figures.instants += plan->stream[0].passed;
			s->figures.late += plan->stream[0].passed;
		}
		return weight;
	}
	(void)plan_advance(plan, stream, outcome, 0, factor, most, &s->random);
	/* What delayed us is work of the kernel for this thread: it is met all that time. */
	while (plan->stream[stream].next_ns <= now) {
		weight += plan_weight(plan, stream);
		*ret_lost += plan_weight(plan, stream);
		(void)plan_advance(plan, stream, outcome, 0, factor, most, &s->random);
	}
	return weight;
}

/* Plans the next instant of each stream in @due; weights go to @order, which may be NULL. */
static void advance(struct sampler *s, unsigned cpu, unsigned due, enum plan_outcome outcome,
	uint64_t now, struct sample_order *order, uint64_t weight_1024)
{
	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		uint64_t weight = 0, lost = 0;

		if (due & 1u << i && outcome == PLAN_MET)
			s->met_ns[i] = now;
		if (due & 1u << i)
			weight = advance_stream(s, &s->cpu[cpu], i, outcome, now, &lost);
		if (!order)
			continue;
		order->weight_ns[i] = weight * weight_1024 / 1024;
		order->lost_ns[i] = lost * weight_1024 / 1024;
	}
}

/*
 * @t is still in the call in which an earlier instant met it: what is due weighs with that order.
 * Its time stamp proves that; a proof by waiting time fails where it was put on its CPU again.
 */
static void add_to_order(
	struct sampler *s, unsigned cpu, unsigned due, struct sample_thread *t, uint64_t now)
{
	struct sample_order more;

	advance(s, cpu, due, PLAN_MET, now, &more, 1024);
	for (unsigned i = 0; i < PLAN_STREAMS; i++) {
		t->order.weight_ns[i] += more.weight_ns[i];
		t->order.lost_ns[i] += more.lost_ns[i];
	}
	t->order.streams |= due;
	t->order.proof = SAMPLE_BY_STAMP;
	t->order.called = false;
	t->order.woke_ns = now;
}

void sampler_moved(struct sampler *s, struct sample_thread *t, unsigned cpu)
{
	uint32_t all = 0;

	/* The weight of past samples goes along, also if they were of a thread that has ended. */
	for (unsigned i = 0; i < s->cpus; i++) {
		all += s->cpu[i].recent;
		s->cpu[i].recent = 0;
	}
	s->cpu[cpu].recent = all;
	t->cpu = (int)cpu;
	s->ways_next_ns = 0;
}

/* Is one thread alone at work, and the ways made for the CPU where it is? */
static bool is_for_one(const struct sampler *s, unsigned cpu)
{
	return s->cpu[cpu].way == SAMPLE_AWAITED || sampler_is_kept(s, cpu);
}

/*
 * Where one thread is alone at work an instant met nobody, or came late. If a thread runs
 * elsewhere, it has moved, and a tracing thread that is awake just there would miss it there, too.
 */
static void look_for_strayed(struct look *l)
{
	struct sampler *s = l->s;
	struct sample_thread *t = observe_runnable(l);
	int where = t ? sampler_cpu(s, s->probe->last_cpu(s->context, t)) : -1;

	if (where >= 0 && where != (int)l->cpu)
		sampler_moved(s, t, (unsigned)where);
}

/* It was found in a call after the keeper had rung: for long that waits for timers again. */
static void note_flight(struct sampler *s, struct sample_thread *t)
{
	if (!t->near)
		t->flights += t->flights < UNCALLED_DOUBLED;
	t->near = SAMPLE_UNCALLED << t->flights;
	s->ways_next_ns = 0;
}

/* The lower quartile of how late instants are: it rises with three of four, and falls with one. */
static void note_lateness(struct sampler *s, uint64_t late_ns)
{
	uint64_t step = USUAL_LATE_STEP_NS;

	if (late_ns < s->usual_late_ns)
		s->usual_late_ns -= s->usual_late_ns < 3 * step ? s->usual_late_ns : 3 * step;
	else if (s->usual_late_ns < USUAL_LATE_MOST_NS)
		s->usual_late_ns += step;
}

static bool is_late(const struct sampler *s, uint64_t late_ns)
{
	if (s->realtime)
		return late_ns > LATE_MOST_NS;
	return late_ns > LATE_NS && late_ns > LATE_USUAL * s->usual_late_ns;
}

struct sample_thread *sampler_instant(
	struct sampler *s, unsigned cpu, uint64_t planned_ns, uint64_t called_ns, uint64_t woke_ns)
{
	uint64_t late_ns = woke_ns > called_ns ? woke_ns - called_ns : 0;
	struct look look = {
		.s = s, .cpu = cpu, .planned_ns = planned_ns, .woke_ns = woke_ns, .weight = 1024};
	bool late = is_late(s, late_ns);
	bool slow = late_ns > PROMPT_NS && !s->realtime;
	bool rung = s->rings && sampler_is_kept(s, cpu), fell_asleep;
	unsigned due = plan_due(&s->cpu[cpu].plan, planned_ns);
	struct sample_thread *t;

	if (!due)
		return NULL; /* the plan was shifted since it was asked for */
	note_lateness(s, late_ns);
	s->figures.instants += due & 1;
	t = late ? NULL : observe(&look);
	fell_asleep = t && !look.activity.running && !look.stopping;
	if (fell_asleep && rung)
		note_flight(s, t);
	late = late || (fell_asleep && (slow || rung));
	if ((late || !t) && is_for_one(s, cpu))
		look_for_strayed(&look);
	if (t && t == s->met && (int)cpu == s->keeper)
		sampler_moved(s, t, cpu);
	if (late || (!t && observe_cannot_tell(&look))) {
		s->figures.late += due & 1;
		advance(s, cpu, due, PLAN_LOST, woke_ns, NULL, 0);
		return NULL;
	}
	if (t && !s->met)
		s->ways_next_ns = 0; /* now it is known where anybody is */
	met(s, cpu, t);
	if (!t)
		wake_other(&look, woke_ns);
	if (!t && is_for_one(s, cpu))
		observe_company(s, 0);
	if (look.stopping) {
		add_to_order(s, cpu, due, t, woke_ns);
		return NULL;
	}
	if (t) {
		t->order.cpu = cpu;
		t->order.streams = due;
		t->order.woke_ns = woke_ns;
		t->order.slow = slow;
		t->order.called = rung;
		t->order.asleep = !look.activity.running;
		t->order.activity = look.activity;
	}
	advance(s, cpu, due, t ? PLAN_MET : PLAN_NOBODY, woke_ns, t ? &t->order : NULL,
		look.weight);
	if (t && t->order.asleep)
		ticks_settle(s, t, &t->seen);
	return t;
}

void sampler_miss(struct sampler *s, unsigned cpu, uint64_t now_ns, bool throttled)
{
	unsigned due = plan_due(&s->cpu[cpu].plan, now_ns);

	s->figures.instants += due & 1;
	*(throttled ? &s->figures.throttled : &s->figures.late) += due & 1;
	advance(s, cpu, due, PLAN_LOST, now_ns, NULL, 0);
}

bool sampler_is_steady(const struct sampler *s, unsigned cpu)
{
	return observe_is_steady(&s->cpu[cpu]);
}

bool sampler_judge(struct sampler *s, struct sample_thread *t, const struct cpu_time *after,
	enum sample_place place, uint64_t asked_ns)
{
	const struct sample_order *o = &t->order;
	uint64_t waited = after->wait_ns - o->before.wait_ns;
	bool was_on = o->proof == SAMPLE_BY_STAMP ||
		(after->slices - o->before.slices <= 1 && waited >= asked_ns - o->woke_ns &&
			waited <= asked_ns - o->woke_ns + SWITCH_NS);

	t->seen = *after;
	t->stopping = false;
	if (!was_on) {
		s->cpu[o->cpu].failures += FAILURE;
		s->figures.unproved++;
	} else if (o->slow && place == SAMPLE_IN_YIELD) {
		/* It gave up its CPU, which let us in late: at the instant it was elsewhere. */
		was_on = false;
	} else if (o->called && place) {
		/* It stands at the end of a call; at the instant it may have been before that. */
		was_on = false;
		note_flight(s, t);
	}
	if (was_on)
		ticks_settle(s, t, after);
	else
		sampler_lose(s, t);
	return was_on;
}

void sampler_note(struct sample_thread *t, bool in_call)
{
	if (!in_call)
		t->near -= t->near > 0;
	else if (t->near < SAMPLE_UNCALLED)
		t->near = SAMPLE_UNCALLED;
}
