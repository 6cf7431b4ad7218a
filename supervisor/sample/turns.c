/* SPDX-License-Identifier: MIT */
/*
 * Which threads a tick asks for a stop: those that owe one and can be caught where they are; and on
 * which CPU the next tick finds more of them (follow.h, moment.h).
 */
#include "supervisor/engine/engine_internal.h"

#include <limits.h>
#include <stdlib.h>

#include "supervisor/os/mem.h"
#include "supervisor/target/mend.h"

/* A thread that is overdue so many times is interrupted wherever it is. */
#define PATIENCE 2
/* Where the moment was a wrong one, wake-ups come so many times as often. */
#define HURRY 5
/* So many threads a CPU are looked at for one that is on it, and as many of those that are late. */
#define LOOKS_A_CPU 3
/* After so many periods of wrong moments a thread is caught at any: the right one may never come.
 */
#define PUT_OFF_PERIODS 16

/* Does it owe @periods times as much as makes a thread overdue, or ticks of its counters? */
static bool overdue(struct engine *engine, struct tracee *t, unsigned periods)
{
	/* It may have to wait for a CPU, and must not keep the few descriptors meanwhile. */
	if (engine->fds_scarce && t->cpu_fd < 0)
		return false;
	return credit_overdue(&t->credit, periods * engine->wakeups.period_ns) ||
		session_owed(engine, t);
}

/* Is it on a CPU, as far as can be told without stopping it? */
static bool catchable(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct activity activity;

	if (engine->scheduler_tick_ns &&
		!credit_on_cpu(&t->credit, now, engine->scheduler_tick_ns) &&
		!overdue(engine, t, 1))
		return false;
	return look_read_activity(engine, t, &activity) >= 0 && activity.running;
}

/* The same where all that are runnable were searched for. */
static bool is_runnable(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (t->runs_ns == now)
		return true;
	/* The search tells no more of one that waits for long: its account stands still. */
	return (!engine->idle.searched || overdue(engine, t, 1)) && catchable(engine, t, now);
}

/* Must it be caught at the right moment? With few descriptors that costs too much. */
static bool is_restless(const struct engine *engine, const struct tracee *t, uint64_t now)
{
	return !engine->fds_scarce && credit_restless(&t->credit, now);
}

/* The CPU that it is on or waits for, negative: unknown. */
static int last_cpu(struct engine *engine, struct tracee *t)
{
	int fd = t->stat_fd, cpu;

	if (fd < 0)
		fd = procfs_open_stat(t->process->pid, t->tid);
	cpu = fd < 0 ? fd : procfs_read_last_cpu(fd);
	if (t->stat_fd < 0)
		t->stat_fd = fds_keep(engine, t->process, fd);
	t->cpu = cpu < CPU_SETSIZE ? cpu : -1;
	return t->cpu;
}

static bool owes_tick(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (engine->counting &&
		credit_estimate(&t->credit, now, engine->scheduler_tick_ns) + sampler_carried(t) >=
			sampler_due(engine, t))
		return true;
	return session_due(engine, t, now);
}

/* The same of one that sleeps, and if it may be asked. */
static bool has_earned_tick(const struct engine *engine, const struct tracee *t)
{
	const struct credit *c = &t->credit;

	return engine->counting && !sampler_is_over_budget(engine) &&
		c->seen.run_ns + sampler_carried(t) >= c->paid_ns + sampler_due(engine, t);
}

/* The same before it is looked at: it may have run all the time. */
static bool may_owe_tick(struct engine *engine, struct tracee *t, uint64_t now)
{
	const struct credit *c = &t->credit;

	return owes_tick(engine, t, now) ||
		(engine->counting &&
			c->seen.run_ns + (now - c->seen_at_ns) + sampler_carried(t) >=
				c->paid_ns + sampler_due(engine, t));
}

bool turns_want_moment(struct engine *engine, uint64_t now)
{
	const struct target *target = &engine->target;

	for (size_t i = 0; i < target->hot; i++) {
		struct tracee *t = target->tracee[i];

		if (is_restless(engine, t, now) && (t->put_off_ns || may_owe_tick(engine, t, now)))
			return true;
	}
	return false;
}

/*
 * One that sleeps and wakes often is runnable, too, when it was woken just now and waits for the
 * CPU that we are on: then it was asleep at the moment of our wake-up.
 */
static enum moment_was moment_for(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (!is_restless(engine, t, now) || !owes_tick(engine, t, now) ||
		sampler_is_over_budget(engine) ||
		(t->put_off_ns &&
			now - t->put_off_ns >= PUT_OFF_PERIODS * engine->wakeups.period_ns))
		return MOMENT_UNKNOWN;
	return moment_of(&engine->moment, t->process->pid, t->tid);
}

/* A thread owes a tick: by a stop if it is runnable and the moment is right; or another one will
 * do. */
static void take(
	struct engine *engine, struct tracee *t, bool runs, enum moment_was was, uint64_t now)
{
	if (sampler_is_over_budget(engine))
		return;
	if (was == MOMENT_ELSEWHERE || was == MOMENT_LATE) {
		if (!t->put_off_ns)
			t->put_off_ns = now;
		/* In a crowd there is somebody else to ask. */
		if (!idle_crowd(engine))
			engine->parts = HURRY;
		return;
	}
	if (runs || was == MOMENT_REPLACED)
		t->put_off_ns = 0;
	if (t->elsewhere)
		stack_copy_warm(&engine->stack, t->tid, &t->process->stacks, &t->home);
	if (runs)
		(void)sampler_ask(engine, t);
	else if (was == MOMENT_REPLACED && !session_due(engine, t, now))
		look_take_tick(engine, t, now);
}

static int hotter_first(const void *a, const void *b)
{
	const struct tracee *x = *(struct tracee *const *)a, *y = *(struct tracee *const *)b;

	return credit_is_hotter(&x->credit, &y->credit) ? -1
							: credit_is_hotter(&y->credit, &x->credit);
}

static int runnable_first(const void *a, const void *b)
{
	const struct tracee *x = *(struct tracee *const *)a, *y = *(struct tracee *const *)b;

	if (x->runs_ns != y->runs_ns)
		return x->runs_ns > y->runs_ns ? -1 : 1;
	return hotter_first(a, b);
}

/* Where the threads at work are, as far as a tick has looked. */
struct places {
	int home;         /* the CPU that we are on */
	unsigned here;    /* threads that are on it, but for us, or wait for it */
	cpu_set_t busy;   /* a thread is on it */
	int last;         /* one of them */
	bool calls;       /* whose thread makes system calls */
	cpu_set_t visits; /* other CPUs that we must go to, to meet a thread where it is */
	int next;         /* of these the one whose thread owes most, -1 none */
	bool due;         /* it owes a tick */
	uint64_t most;    /* that is how much */
};

/* Its CPU is one to go to, for the next tick. False: it is met from here as well, or better. */
static bool visit(
	struct engine *engine, struct tracee *t, int cpu, struct places *places, uint64_t now)
{
	uint64_t owed = credit_estimate(&t->credit, now, engine->scheduler_tick_ns);

	if (!t->calls || !engine->counting || engine->fds_scarce ||
		!follow_may(&engine->follow, cpu))
		return false;
	CPU_SET(cpu, &places->visits);
	if (owed >= places->most) {
		places->most = owed;
		places->next = cpu;
		places->due = owes_tick(engine, t, now);
	}
	return true;
}

/*
 * One on another CPU runs on until the interrupt arrives, some microseconds. That matters if it
 * makes system calls: it is then met in them too often. So where it was found in one lately we go
 * to its CPU.
 */
static void ask_remote(struct engine *engine, struct tracee *t, int cpu, bool first,
	struct places *places, uint64_t now)
{
	bool visited = first && visit(engine, t, cpu, places, now);

	if (((first && !visited) || overdue(engine, t, PATIENCE)) && owes_tick(engine, t, now)) {
		t->elsewhere = true;
		take(engine, t, true, MOMENT_UNKNOWN, now);
	}
}

/* What is known of a thread, by as few readings as tell. */
struct sight {
	bool runs;
	int cpu; /* negative: unknown */
	enum moment_was was;
};

/* False: it is of no interest. */
static bool see(
	struct engine *engine, struct tracee *t, int home, uint64_t now, struct sight *ret_sight)
{
	struct sight sight = {.cpu = -1, .was = MOMENT_UNKNOWN};
	struct activity activity;

	if (t->cpu == home)
		sight.was = moment_for(engine, t, now);
	if (sight.was == MOMENT_REPLACED) {
		sight.cpu = home;
		sight.runs = look_read_activity(engine, t, &activity) >= 0 && activity.running;
	} else if (sight.was != MOMENT_ELSEWHERE ||
		(t->put_off_ns && now - t->put_off_ns >= engine->wakeups.period_ns)) {
		sight.runs = is_runnable(engine, t, now);
		if (!sight.runs && !is_restless(engine, t, now))
			return false;
		sight.cpu = last_cpu(engine, t);
		if (sight.was == MOMENT_UNKNOWN && sight.cpu == home)
			sight.was = moment_for(engine, t, now);
	} else {
		sight.cpu = home; /* it sleeps, or waits here; should it be on another CPU, it is
				     soon seen */
	}
	*ret_sight = sight;
	return true;
}

/*
 * Of the threads that are on a CPU or wait for it, the one that was put on it last is on it; of
 * those of our CPU it is the one that we took it from: it stands still, and stops where it is. A
 * thread that waits is caught when its turn comes; it has not used anything meanwhile. Moves those
 * of our CPU to the front; returns their number.
 */
static size_t ask_others(struct engine *engine, size_t n, struct places *places, uint64_t now)
{
	size_t looks = LOOKS_A_CPU * (size_t)engine->follow.cpus, late = looks, ours = 0;

	/* In a crowd not all that are runnable are known to be. */
	qsort(engine->ranked, n, sizeof(*engine->ranked),
		idle_crowd(engine) ? hotter_first : runnable_first);
	for (size_t i = 0; i < n; i++) {
		struct tracee *t = engine->ranked[i];
		struct sight sight;
		bool first;

		if (idle_crowd(engine) && CPU_COUNT(&places->busy) == (int)engine->follow.cpus)
			looks = 0; /* who is on them is known; the others wait */
		if (!looks && (!late || !overdue(engine, t, 1)))
			continue;
		if (looks)
			looks--;
		else
			late--;
		if (!see(engine, t, places->home, now, &sight))
			continue;
		places->here += sight.runs && sight.cpu == places->home;
		first = sight.runs && (sight.cpu < 0 || !CPU_ISSET(sight.cpu, &places->busy));
		if (first && sight.cpu >= 0) {
			CPU_SET(sight.cpu, &places->busy);
			places->last = sight.cpu;
			places->calls = t->calls;
		}
		if (sight.cpu != places->home && sight.runs) {
			ask_remote(engine, t, sight.cpu, first, places, now);
		} else if (sight.cpu == places->home &&
			(first || is_restless(engine, t, now) ||
				(sight.runs && overdue(engine, t, PATIENCE)))) {
			t->runs_ns = sight.runs ? now : 0;
			t->was = sight.was;
			engine->ranked[ours++] = t;
		} else if (!sight.runs && sight.cpu >= 0 && sight.cpu != places->home &&
			places->next < 0 && has_earned_tick(engine, t)) {
			/*
			 * It sleeps now, perhaps because we have the CPU of the one that it works
			 * for; at its own it is met when it is taken from there.
			 */
			(void)visit(engine, t, sight.cpu, places, now);
		}
	}
	return ours;
}

/*
 * From where the next tick is best taken. A helper that only counts for sprofil keeps off the CPU
 * of its program: with a tick each millisecond that costs the program 3 % instead of 12.
 *
 * @stops: threads of this CPU will stop when we sleep. Then we go when they have: on the other CPU,
 * which is busy, we would have to wait for our turn, and they for us. If there are several on this
 * one, or may be, they would wait while another one of them has it: then any CPU will do until they
 * have stopped.
 */
static void go_on(struct engine *engine, const struct places *places, bool stops)
{
	int to = CPU_COUNT(&places->busy) == 1 && places->calls ? places->last : -1;
	bool contended =
		places->here > 1 || (engine->idle.others > 1 && engine->idle.others != UINT_MAX);

	if (!engine->counting)
		return;
	if (places->next >= 0)
		to = places->next;
	if (places->next >= 0 && !idle_crowd(engine)) {
		/* Nobody was on this CPU: they are late already. */
		if (!CPU_ISSET(places->home, &places->busy) && engine->parts < HURRY)
			engine->parts = HURRY;
		if (engine->parts < (unsigned)CPU_COUNT(&places->visits) + 1)
			engine->parts = (unsigned)CPU_COUNT(&places->visits) + 1;
		/*
		 * At once, or of one that works for some milliseconds at a time what comes first is
		 * never met. But we do not run after one that is moved when we come.
		 */
		engine->at_once = places->due && !stops && !engine->was_at_once;
	}
	if (stops)
		engine->follow.next = to;
	else if (to >= 0)
		follow_to(&engine->follow, to);
	if ((stops && contended) || (to < 0 && CPU_COUNT(&places->busy)))
		follow_stop(&engine->follow);
}

void turns_move_on(struct engine *engine)
{
	const struct target *target = &engine->target;

	if (engine->follow.next < 0)
		return;
	for (size_t i = 0; i < target->hot; i++)
		if (target->tracee[i]->state == TRACEE_ASKED)
			return;
	follow_to(&engine->follow, engine->follow.next);
	engine->follow.next = -1;
}

static void ask_in_turn(struct engine *engine, size_t n, uint64_t now)
{
	struct places places = {.home = sched_getcpu(), .next = -1};
	bool waited;

	engine->ranked_n = ask_others(engine, n, &places, now);
	waited = engine->asked_n > 0;
	sampler_collect(engine); /* threads may go, ranked ones too */
	for (size_t i = 0; i < engine->ranked_n; i++) {
		struct tracee *t = engine->ranked[i];
		/* It stands still since it was seen; but another CPU may have taken one over
		 * meanwhile. */
		bool again = waited && is_restless(engine, t, now);

		t->elsewhere = false;
		if (t->state == TRACEE_RUNNING && owes_tick(engine, t, now))
			take(engine, t, again ? catchable(engine, t, now) : t->runs_ns == now,
				t->was, now);
	}
	engine->ranked_n = 0;
	go_on(engine, &places, engine->asked_n > 0);
	/* These have their CPU only when we sleep. */
	engine->asked_n = 0;
}

/* The command before its first exec: what it does is our doing, and its account has not begun. */
static bool is_ours(const struct engine *engine, const struct tracee *t)
{
	return t->tid == engine->launch.pid && engine->launch.error_fd >= 0;
}

void turns_ask(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	size_t n = 0;

	engine->follow.next = -1;
	if (mem_grow((void **)&engine->ranked, &engine->ranked_room, target->hot,
		    sizeof(*engine->ranked)) < 0)
		return;
	for (size_t i = 0; i < target->hot; i++) {
		struct tracee *t = target->tracee[i];

		if (t->state == TRACEE_RUNNING && t->process && !mend_busy(t) &&
			!is_ours(engine, t))
			engine->ranked[n++] = t;
	}
	if (!n) {
		follow_stop(&engine->follow);
		return;
	}
	if (engine->scheduler_tick_ns) {
		ask_in_turn(engine, n, now);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct tracee *t = engine->ranked[i];
		bool runs;

		if (!owes_tick(engine, t, now))
			continue;
		runs = catchable(engine, t, now);
		t->elsewhere = runs;
		take(engine, t, runs, MOMENT_UNKNOWN, now);
	}
}
