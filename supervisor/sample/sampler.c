/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "supervisor/os/mem.h"
#include "supervisor/sample/observe.h"
#include "supervisor/sample/ticks.h"

/*
 * An instant whose lateness() is greater than this, in ns, is lost. Fair class: the lateness is the
 * time that the waiter was in the run queue. If that was long, the scheduler chose when the waiter
 * ran, often at the end of another thread's slice. Real time: the waiter comes late only if the
 * kernel delays its wake-up. It does so while the thread that is then hit is in a system call, so
 * the hit is right.
 */
#define LATE_FAIR_NS     100000
#define LATE_REALTIME_NS 20000000
/*
 * Fair class: an instant whose lateness() is greater than this, in ns, is lost if the thread found
 * was falling asleep or in sched_yield(). Such a thread has released the CPU itself when the waiter
 * came. That was after the instant, at which the thread was in other code.
 */
#define SLOW_NS 40000
/*
 * Gaps double after each MISSES misses in a row, up to STRETCH_MOST or the number of CPUs,
 * whichever is greater. After a hit, MISSES_HIT further misses are needed first.
 */
#define MISSES       64
#define MISSES_HIT   128
#define STRETCH_MOST 16
/*
 * Gaps grow if more than 1/BUSY_MOST of the instants are lost because the sampler is busy, and
 * shrink if less than 1/BUSY_LEAST are.
 */
#define BUSY_MOST        16
#define BUSY_LEAST       32
#define BUSY_FACTOR_MOST (64 * PLAN_ONE)
/* A thread that waited for a CPU this much longer than we occupied it was preempted by others. */
#define SWITCH_NS 60000
/* A longer time between two stops is not measured: a hypervisor may have had the machine. */
#define APART_MOST_NS UINT64_C(1000000000)
/*
 * A loss above this many times our occupied time includes time of other programs. It is discarded.
 */
#define LOSS_MOST 4
/* The moving averages begin with these times to ask a thread and to read a time stamp, in ns. */
#define USUAL_ASK_NS   2500
#define USUAL_STAMP_NS 5000

int sampler_init(struct sampler *s, const struct probe *probe, void *context, const int *numbers,
	unsigned cpus, uint64_t seed)
{
	*s = (struct sampler){.probe = probe,
		.context = context,
		.factor_1024 = PLAN_ONE,
		.busy_1024 = PLAN_ONE,
		.ask_ns = USUAL_ASK_NS,
		.stamp_ns = USUAL_STAMP_NS};
	plan_seed(&s->random, seed);
	for (unsigned i = 0; i < cpus; i++)
		if (sampler_add_cpu(s, numbers[i]) < 0)
			return -ENOMEM;
	return 0;
}

int sampler_add_cpu(struct sampler *s, int number)
{
	if (mem_grow((void **)&s->cpu, &s->cpu_room, s->cpus + 1, sizeof(*s->cpu)) < 0)
		return -ENOMEM;
	s->cpu[s->cpus++] = (struct sample_cpu){.number = number};
	s->present++;
	return 0;
}

void sampler_release(struct sampler *s)
{
	free(s->cpu);
	free(s->thread);
	*s = (struct sampler){0};
}

void sampler_set_period(struct sampler *s, unsigned stream, uint64_t period_ns)
{
	if (s->period_ns[stream] == period_ns)
		return;
	s->period_ns[stream] = period_ns;
	for (size_t i = 0; i < s->threads; i++)
		ticks_forget(s->thread[i], stream, s->thread[i]->account[stream].began_ns);
	/* No loss is measured across a change of period: what happened meanwhile was not noted. */
	for (unsigned i = 0; i < s->cpus; i++)
		s->cpu[i].resumed = NULL;
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
	*t = (struct sample_thread){.owner = owner, .slot = s->threads, .cpu = -1};
	s->thread[s->threads++] = t;
	link_newest(s, t);
	return 0;
}

void sampler_remove(struct sampler *s, struct sample_thread *t)
{
	unlink_thread(s, t);
	s->thread[t->slot] = s->thread[--s->threads];
	s->thread[t->slot]->slot = t->slot;
	for (unsigned i = 0; i < s->cpus; i++) {
		if (s->cpu[i].hit == t)
			s->cpu[i].hit = NULL;
		if (s->cpu[i].resumed == t)
			s->cpu[i].resumed = NULL;
	}
}

void sampler_heed(struct sampler *s, struct sample_thread *t)
{
	if (s->newest == t)
		return;
	unlink_thread(s, t);
	link_newest(s, t);
}

int sampler_cpu(const struct sampler *s, int number)
{
	for (unsigned i = 0; i < s->cpus; i++)
		if (s->cpu[i].number == number)
			return (int)i;
	return -1;
}

uint64_t sampler_stretch(const struct sampler *s, unsigned cpu)
{
	uint64_t stretch = 1, most = s->cpus > STRETCH_MOST ? s->cpus : STRETCH_MOST;

	for (int n = s->cpu[cpu].misses; n >= MISSES && stretch < most; n -= MISSES)
		stretch *= 2;
	return stretch * PLAN_ONE;
}

static void note_miss(struct sampler *s, unsigned cpu)
{
	struct sample_cpu *c = &s->cpu[cpu];

	c->hit = NULL;
	/* The thread last resumed here was interrupted, or is elsewhere: no loss is measured. */
	c->resumed = NULL;
	c->misses += c->misses < INT32_MAX;
}

static void note_hit(struct sampler *s, unsigned cpu, struct sample_thread *t)
{
	struct sample_cpu *c = &s->cpu[cpu];

	c->hit = t;
	c->misses = -MISSES_HIT;
	t->cpu = (int)cpu;
	sampler_heed(s, t);
	/*
	 * A factor of 3 leaves out two of three instants. Instants left out are counted at hits
	 * only: an instant left out before a miss would probably have been a miss, too.
	 */
	if (s->factor_1024 > s->busy_1024)
		s->stretched_1024 += s->factor_1024 - PLAN_ONE;
	s->figures.throttled += s->stretched_1024 / PLAN_ONE;
	s->stretched_1024 %= PLAN_ONE;
}

/*
 * @t is still in the system call of its earlier hit, and the stop requested then has not come. Adds
 * the weights of the present instant to that hit.
 */
static void add_to_hit(struct sample_thread *t, const struct plan_due *due, uint64_t weight_1024)
{
	t->hit.due.streams |= due->streams;
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		t->hit.due.weight_ns[i] += due->weight_ns[i] * weight_1024 / PLAN_ONE;
}

static void lose(struct sampler *s, const struct plan_due *due, bool unproved)
{
	s->figures.late += due->streams & 1;
	s->figures.unproved += unproved && due->streams & 1;
}

/*
 * Returns for how long another thread may have had the CPU since the instant. In the fair class
 * that is the waiter's time in the run queue. A late timer does not count: until it fired, the CPU
 * was idle, or the preempted thread had the CPU.
 */
static uint64_t lateness(const struct sampler *s, const struct sample_instant *i)
{
	uint64_t late = i->woke_ns > i->planned_ns ? i->woke_ns - i->planned_ns : 0;

	return s->realtime || i->arrival.waited_ns > late ? late : i->arrival.waited_ns;
}

struct sample_thread *sampler_instant(struct sampler *s, const struct sample_instant *i)
{
	uint64_t late_ns = lateness(s, i);
	struct observation o = {.s = s, .instant = i, .weight_1024 = PLAN_ONE};
	bool slow = late_ns > SLOW_NS && !s->realtime;
	struct sample_thread *t;

	s->figures.instants += i->due.streams & 1;
	/*
	 * The waiter has woken up on another CPU, and preempted a thread there. That CPU has
	 * instants of its own, so this instant is lost.
	 */
	if (i->arrival.cpu != s->cpu[i->cpu].number) {
		lose(s, &i->due, false);
		return NULL;
	}
	if (late_ns > (s->realtime ? LATE_REALTIME_NS : LATE_FAIR_NS)) {
		lose(s, &i->due, false);
		return NULL;
	}
	t = observe(&o);
	if (t && slow && !o.stopping && !o.activity.running) {
		lose(s, &i->due, false);
		return NULL;
	}
	if (!t) {
		note_miss(s, i->cpu);
		return NULL;
	}
	note_hit(s, i->cpu, t);
	if (o.stopping) {
		add_to_hit(t, &i->due, o.weight_1024);
		return NULL;
	}
	/* sampler_confirm() needs @t's CPU time at the instant; @t has not run since then. */
	if (t->read_ns < i->woke_ns)
		(void)s->probe->cpu_time(s->context, t, &t->asked);
	t->hit = (struct sample_hit){.cpu = i->cpu,
		.slow = slow,
		.asleep = !o.activity.running,
		.due = i->due,
		.woke_ns = i->woke_ns,
		.before = t->asked,
		.activity = o.activity};
	for (unsigned k = 0; k < PLAN_STREAMS; k++)
		t->hit.due.weight_ns[k] = i->due.weight_ns[k] * o.weight_1024 / PLAN_ONE;
	if (t->hit.asleep)
		ticks_settle(s, t, &t->asked);
	else
		t->stopping = true;
	return t;
}

bool sampler_confirm(struct sampler *s, struct sample_thread *t)
{
	uint64_t ran = t->hit.before.run_ns;

	/* Without schedstat it is unknown whether the thread ran, and the hit stands. */
	if (s->probe->cpu_time(s->context, t, &t->hit.before) >= 0 &&
		(!t->hit.before.slices || t->hit.before.run_ns == ran))
		return true;
	sampler_lose(s, t, true);
	return false;
}

void sampler_lose(struct sampler *s, struct sample_thread *t, bool unproved)
{
	t->stopping = false;
	lose(s, &t->hit.due, unproved);
}

bool sampler_judge(
	struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu, bool yields)
{
	t->stopping = false;
	/* The thread yielded the CPU after the instant, so it was in other code at the instant. */
	if (t->hit.slow && yields) {
		sampler_lose(s, t, false);
		return false;
	}
	ticks_settle(s, t, cpu);
	return true;
}

void sampler_occupied(struct sampler *s, unsigned cpu, uint64_t ns)
{
	s->cpu[cpu].occupied_ns += ns;
	s->cpu[cpu].releases++;
}

struct sample_loss sampler_resumed(
	struct sampler *s, struct sample_thread *t, const struct cpu_time *cpu, uint64_t end_ns)
{
	struct sample_cpu *c = &s->cpu[t->hit.cpu];
	uint64_t apart = end_ns - t->resumed_ns, ran = cpu->run_ns - t->resumed.run_ns;
	uint64_t turns = cpu->slices - t->resumed.slices;
	struct sample_loss loss = {0};

	/*
	 * If the thread has never blocked since its resume, it was switched onto the CPU once after
	 * each release by us, and once more if another CPU resumed it. More context switches mean
	 * that it blocked or was preempted.
	 */
	if (c->resumed == t && cpu->slices && turns <= c->releases + 1 &&
		cpu->wait_ns - t->resumed.wait_ns <= c->occupied_ns + SWITCH_NS && apart > ran &&
		apart - ran <= LOSS_MOST * c->occupied_ns + SWITCH_NS && apart < APART_MOST_NS)
		loss = (struct sample_loss){apart - ran, apart};
	for (unsigned i = 0; i < s->cpus; i++)
		if (s->cpu[i].resumed == t)
			s->cpu[i].resumed = NULL;
	c->resumed = t;
	c->occupied_ns = 0;
	c->releases = 0;
	t->resumed = *cpu;
	t->resumed_ns = end_ns;
	/* If there are idle CPUs, @t mostly migrates to one while we occupy its own. */
	if (s->cpus > 1)
		t->cpu = sampler_cpu(s, s->probe->last_cpu(s->context, t));
	return loss;
}

/* A tracing thread takes about 10,000 samples a second at most: if more are due, gaps grow. */
void sampler_turn(struct sampler *s, uint64_t busy, bool loaded)
{
	uint64_t instants = s->figures.instants - s->turn_instants + busy;

	s->figures.instants += busy;
	s->figures.late += busy;
	s->figures.busy += busy;
	s->turn_instants = s->figures.instants;
	if (loaded && busy * BUSY_MOST > instants && s->busy_1024 < BUSY_FACTOR_MOST)
		s->busy_1024 += s->busy_1024 / 8;
	else if ((!loaded || busy * BUSY_LEAST < instants) && s->busy_1024 > PLAN_ONE)
		s->busy_1024 -= (s->busy_1024 - PLAN_ONE) / 16 + 1;
}

uint64_t sampler_factor(const struct sampler *s)
{
	return s->factor_1024 > s->busy_1024 ? s->factor_1024 : s->busy_1024;
}
