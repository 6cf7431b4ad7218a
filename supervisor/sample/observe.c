/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/observe.h"

/*
 * At each instant the RECENT_MOST threads of the last hits are asked (their /proc files are read:
 * sampler.h), then OTHERS_LEAST to OTHERS_MOST random others. The preempted thread waits meanwhile,
 * so the time for the others is limited to 1/OTHERS_PART of the elapsed time. What is not used is
 * kept for later instants, up to OTHERS_NS.
 */
#define RECENT_MOST  16
#define OTHERS_NS    300000
#define OTHERS_PART  32
#define OTHERS_LEAST 16
#define OTHERS_MOST  256
/* Maximum blocked threads whose time stamp is read: one may have left the CPU to fall asleep. */
#define STAMPS_MOST 6
/*
 * Time stamps of threads last seen on other CPUs are read until this long after the waiter woke up,
 * in ns. If there are more such threads, a random part is read, ELSEWHERE_LEAST at least. In the
 * fair class the time is short: a waiter that has used up its slice of 0.1 ms loses its CPU at the
 * next scheduler tick. If it still had its turn with the sampler (cpu_waiter.h), all other waiters
 * would wait for milliseconds.
 */
#define ELSEWHERE_FAIR_NS     60000
#define ELSEWHERE_REALTIME_NS 200000
#define ELSEWHERE_LEAST       2
/* A thread in user mode runs for less than this from the request of its stop to the stop. */
#define STOP_RUN_NS 60000

/* A thread that has run since it was last asked, and is blocked. */
struct sleeper {
	struct sample_thread *thread;
	struct activity activity;
};

static bool is_runnable(struct observation *o, struct sample_thread *t)
{
	o->activity = (struct activity){0};
	return o->s->probe->activity(o->s->context, t, &o->activity) >= 0 && o->activity.running;
}

/*
 * Cheap pre-filter (1.2 us instead of 4.3): false if the CPU time has not advanced since a reading
 * taken before this instant. Without schedstat always true, as readings have tick resolution.
 */
static bool has_run(struct observation *o, struct sample_thread *t)
{
	bool known = t->read_ns && t->read_ns < o->instant->planned_ns;
	struct cpu_time cpu;
	uint64_t ran;

	if (o->s->probe->cpu_time(o->s->context, t, &cpu) < 0)
		return false;
	ran = cpu.run_ns - t->asked.run_ns;
	t->asked = cpu;
	t->read_ns = o->s->probe->now(o->s->context);
	return !known || !cpu.slices || ran;
}

static bool was_last_here(struct observation *o, struct sample_thread *t)
{
	return o->s->probe->last_cpu(o->s->context, t) == o->s->cpu[o->instant->cpu].number;
}

/*
 * Did @t, whose time stamp is @stamp, leave this CPU when the waiter came? A context switch gives
 * the leaving and the coming thread the same stamp. But a scheduler tick may have renewed the
 * waiter's stamp, from first_ns to last_ns. A stamp between these two may then come from that
 * switch or from a switch on another CPU: @t's last CPU must be this one.
 */
static bool is_ours(struct observation *o, struct sample_thread *t, uint64_t stamp, bool runnable)
{
	const struct arrival *a = &o->instant->arrival;

	return stamp == a->last_ns ||
		(runnable && stamp >= a->first_ns && stamp < a->last_ns && was_last_here(o, t));
}

/* A reading that took OTHERS_NS or more was interrupted, and does not count. */
static void move_mean(uint64_t *mean_ns, uint64_t ns)
{
	if (ns < OTHERS_NS)
		*mean_ns += ((int64_t)ns - (int64_t)*mean_ns) / 16;
	*mean_ns += !*mean_ns;
}

/* Did @t leave this CPU when the waiter came? */
static bool left_for_us(struct observation *o, struct sample_thread *t, bool runnable)
{
	struct turn turn;

	if (o->instant->error < 0) /* the kernel has no time stamps: only @t's last CPU tells */
		return runnable && was_last_here(o, t);
	return o->s->probe->turn(o->s->context, t, &turn) >= 0 &&
		is_ours(o, t, turn.switched_ns, runnable);
}

/*
 * Was @t preempted, if its time stamp @turn was read at @read_ns? If @t is @stopping, its stop was
 * requested at an earlier hit: it will stop before it returns to its own code. So if it has run for
 * STOP_RUN_NS since that hit, it is still in the same system call.
 */
static bool was_preempted(
	struct observation *o, struct sample_thread *t, const struct turn *turn, uint64_t read_ns)
{
	const struct arrival *a = &o->instant->arrival;

	t->busy = turn->run_ns != t->asked.run_ns;
	t->asked.run_ns = turn->run_ns;
	t->read_ns = read_ns;
	if (turn->switched_ns < a->first_ns || turn->switched_ns > a->last_ns)
		return false;
	if (t->stopping) {
		o->stopping = turn->run_ns - t->hit.before.run_ns >= STOP_RUN_NS;
		return o->stopping && is_ours(o, t, turn->switched_ns, true);
	}
	if (is_runnable(o, t))
		return is_ours(o, t, turn->switched_ns, true);
	return turn->switched_ns == a->last_ns && o->activity.pc;
}

/* Was the busy thread @t preempted? Its time stamp is read first, which mostly decides. */
static bool ask_busy(struct observation *o, struct sample_thread *t)
{
	uint64_t began = o->s->probe->now(o->s->context), now;
	struct turn turn;
	int r = o->s->probe->turn(o->s->context, t, &turn);

	now = o->s->probe->now(o->s->context);
	move_mean(&o->s->stamp_ns, now - began);
	return r >= 0 && was_preempted(o, t, &turn, now);
}

/* Busy threads that were last seen on other CPUs: one may have migrated to the instant's CPU. */
struct elsewhere {
	struct sample_thread *thread[RECENT_MOST];
	unsigned n;
	unsigned at;   /* index of the first one that is asked */
	unsigned most; /* how many there is time to ask */
};

static struct sample_thread *ask_elsewhere(
	struct observation *o, struct elsewhere *e, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (ask_busy(o, e->thread[(e->at + i) % e->n]))
			return e->thread[(e->at + i) % e->n];
	return NULL;
}

static struct sample_thread *ask_part_of_elsewhere(struct observation *o, struct elsewhere *e)
{
	struct sampler *s = o->s;
	uint64_t now = s->probe->now(s->context);
	uint64_t until =
		o->instant->woke_ns + (s->realtime ? ELSEWHERE_REALTIME_NS : ELSEWHERE_FAIR_NS);
	uint64_t most = now < until ? (until - now) / s->stamp_ns : 0;
	struct sample_thread *found;

	most = most > ELSEWHERE_LEAST ? most : ELSEWHERE_LEAST;
	e->most = most < e->n ? (unsigned)most : e->n;
	if (e->most < e->n)
		e->at = (unsigned)plan_random(&s->random, e->n);
	found = ask_elsewhere(o, e, 0, e->most);
	if (found)
		o->weight_1024 = PLAN_ONE * (uint64_t)e->n / e->most;
	return found;
}

/*
 * Looks for the preempted thread among those of the last hits, first among those last seen on this
 * CPU. @sleeper gets the *@ret_n blocked threads that have run since they were last asked. @e gets
 * the busy threads last seen on other CPUs; a part of them is asked last.
 */
static struct sample_thread *ask_recent(
	struct observation *o, struct elsewhere *e, struct sleeper *sleeper, unsigned *ret_n)
{
	unsigned n = 0;

	for (int here = 1; here >= 0; here--) {
		struct sample_thread *t = o->s->newest;

		for (unsigned i = 0; t && i < RECENT_MOST; t = t->older, i++) {
			if ((t->cpu == (int)o->instant->cpu) != here)
				continue;
			t->recent_ns = o->instant->woke_ns;
			if (t == o->instant->expected)
				continue;
			if ((t->busy || t->stopping) && o->instant->error >= 0) {
				if (!here)
					e->thread[e->n++] = t;
				else if (ask_busy(o, t))
					return t;
			} else if (has_run(o, t)) {
				t->busy = is_runnable(o, t);
				if (!t->busy)
					sleeper[n++] = (struct sleeper){t, o->activity};
				else if (left_for_us(o, t, true))
					return t;
			}
		}
	}
	*ret_n = n;
	return ask_part_of_elsewhere(o, e);
}

/*
 * Finds the thread that was falling asleep when the waiter woke up, and so could not be preempted.
 * It is sampled where it was blocked when first asked, even if it was woken since.
 */
static struct sample_thread *ask_sleepers(
	struct observation *o, const struct sleeper *sleeper, unsigned n)
{
	unsigned most = n < STAMPS_MOST ? n : STAMPS_MOST;
	unsigned at = n > most ? (unsigned)plan_random(&o->s->random, n) : 0;

	for (unsigned i = 0; i < most && o->instant->error >= 0; i++) {
		const struct sleeper *one = &sleeper[(at + i) % n];

		if (!one->activity.pc || !left_for_us(o, one->thread, false))
			continue;
		o->activity = one->activity;
		o->weight_1024 = PLAN_ONE * (uint64_t)n / most;
		return one->thread;
	}
	return NULL;
}

/*
 * Returns how many threads to ask. A sample's weight follows from this number, so it must not
 * depend on which thread was preempted.
 */
static size_t others_most(struct observation *o)
{
	struct sampler *s = o->s;
	uint64_t woke = o->instant->woke_ns;
	size_t most;

	if (woke > s->others_ns) {
		s->others_left_ns += (woke - s->others_ns) / OTHERS_PART;
		s->others_ns = woke;
	}
	if (s->others_left_ns > OTHERS_NS)
		s->others_left_ns = OTHERS_NS;
	most = s->others_left_ns / s->ask_ns;
	most = most < OTHERS_LEAST ? OTHERS_LEAST : most > OTHERS_MOST ? OTHERS_MOST : most;
	return most < s->threads ? most : s->threads;
}

/*
 * Asks random threads, each with the same probability. A sample found here weighs more, by the
 * inverse of that probability.
 */
static struct sample_thread *ask_others(struct observation *o)
{
	struct sampler *s = o->s;
	size_t n = s->threads, most = others_most(o), asked = 0, at = plan_random(&s->random, n);
	struct sample_thread *found = NULL;
	uint64_t began = s->probe->now(s->context), took;

	for (size_t i = 0; i < most && !found; i++) {
		struct sample_thread *t = s->thread[(at + i) % n];

		if (t->recent_ns == o->instant->woke_ns)
			continue;
		asked++;
		if (has_run(o, t) && is_runnable(o, t) && left_for_us(o, t, true))
			found = t;
	}
	took = s->probe->now(s->context) - began;
	s->others_left_ns -= took < s->others_left_ns ? took : s->others_left_ns;
	if (asked)
		move_mean(&s->ask_ns, took / asked);
	if (found)
		o->weight_1024 = PLAN_ONE * (uint64_t)n / most;
	return found;
}

/* Returns the planned time of the instant, by the scheduler's clock. */
static uint64_t instant_of(const struct observation *o)
{
	uint64_t came = o->instant->arrival.monotonic_ns, planned = o->instant->planned_ns;

	return o->instant->arrival.last_ns - (came > planned ? came - planned : 0);
}

/*
 * Finds a thread that was woken before the instant, and waits for this CPU. At the instant the CPU
 * was idle. The thread is a hit, as the kernel charges a thread from its wake-up on, also while the
 * CPU leaves its idle state.
 */
static struct sample_thread *ask_woken(struct observation *o)
{
	struct sample_thread *t = o->s->newest;

	for (unsigned i = 0; t && i < RECENT_MOST && o->instant->error >= 0; t = t->older, i++) {
		struct turn turn;
		uint64_t queued;

		if (is_runnable(o, t) && was_last_here(o, t) &&
			o->s->probe->turn(o->s->context, t, &turn) >= 0 &&
			o->s->probe->queued(o->s->context, t, &queued) >= 0 &&
			queued > turn.switched_ns && queued <= instant_of(o))
			return t;
	}
	return NULL;
}

struct sample_thread *observe(struct observation *o)
{
	const struct sample_instant *i = o->instant;
	struct elsewhere elsewhere = {0};
	struct sleeper sleeper[RECENT_MOST];
	struct sample_thread *t = i->expected;
	unsigned n = 0;
	int runnable;

	if (t && was_preempted(o, t, &i->turn, i->expected_ns))
		return t;
	if (t)
		t->recent_ns = i->woke_ns;
	t = ask_recent(o, &elsewhere, sleeper, &n);

	if (!t)
		t = ask_sleepers(o, sleeper, n);
	if (t || !o->s->threads)
		return t;
	runnable = o->s->probe->runnable(o->s->context);
	if (runnable && o->s->threads > RECENT_MOST)
		t = ask_others(o);
	/* With more runnable threads than CPUs, another program may have had this CPU: a miss. */
	if (!t && runnable > 0 && runnable <= (int)o->s->present) {
		struct observation rest = *o;

		t = ask_woken(o);
		/* If a busy thread not asked yet had this CPU, the instant is a miss. */
		if (t && ask_elsewhere(&rest, &elsewhere, elsewhere.most, elsewhere.n))
			t = NULL;
	}
	return t;
}
