/* SPDX-License-Identifier: MIT */
/*
 * Which threads that sleep are worth a reading: some in each tick, in turn. A server has many that
 * have not run for minutes; these are looked at in one round of sixteen. How many threads of the
 * machine are runnable is told by the kernel in one reading; when all of them are found, no more
 * are looked for.
 */
#include "supervisor/engine/engine_internal.h"

#include <limits.h>

#define DORMANT_NS     UINT64_C(2000000000)
#define DORMANT_ROUNDS 16
/*
 * A reading costs 1 us, and 2 to 3 where the target has emptied the caches: at most some hundredth
 * of the time goes into them, if there are enough threads. So of 1000 one that wakes up is seen
 * within 1.2 s, and sooner if it is one of those that are likely to. What it has used by then is
 * not lost, but goes to where it is seen, if it is. The wall clock wants to know where they sleep,
 * and takes more.
 */
#define SHARE_NS      100000
#define WALL_SHARE_NS 20000
/* So much rarer where nobody seems to run: somebody may have come since. */
#define DOUBT 32
/* Of the threads of a pool one that was woken is among the likely ones mostly: then the search
 * ends. */
#define SEARCH_MOST 20
/* So many are passed on the way to them, in all: others may have slept for minutes. */
#define STEPS_MOST (4 * SEARCH_MOST)
/* Of so many looks one is at whoever's turn it is, likely or not. */
#define IN_TURN 6
/* However long the last tick was ago, the busy ones shall not wait for long. */
#define MOST_SPAN_NS 20000000
/* Where there are more for each CPU, one that has to wait for its turn waits for some 20 ms or
 * more. */
#define CROWD 8
/* So many can all be looked at in each tick. */
#define FEW 8
/* So many are watched at a time, each for so long at most. */
#define WATCHED_MOST 4
#define WATCH_NS     UINT64_C(2000000000)
/* Then it may be watched again. */
#define WATCH_AGAIN_NS (5 * WATCH_NS)

size_t idle_looks(uint64_t *since_ns, uint64_t now, uint64_t share, size_t cold)
{
	size_t looks;

	if (now - *since_ns > MOST_SPAN_NS)
		*since_ns = now - MOST_SPAN_NS;
	looks = (now - *since_ns) / share;
	return looks < cold ? looks : cold;
}

void idle_begin_tick(struct engine *engine, uint64_t now)
{
	struct idle *idle = &engine->idle;
	const struct target *target = &engine->target;
	size_t cold = target->tracees - target->hot;
	int runnable;

	idle->share_ns = engine->options->wall ? WALL_SHARE_NS : SHARE_NS;
	idle->looks = idle_looks(&idle->since_ns, now, idle->share_ns, cold);
	if (!engine->options->wall && idle->looks > SEARCH_MOST)
		idle->looks = SEARCH_MOST;
	idle->least = idle_looks(&idle->least_since_ns, now, DOUBT * idle->share_ns, cold);
	idle->at = NULL;
	idle->distance = 0;
	idle->steps = STEPS_MOST;
	idle->turns = cold;
	idle->ticks++;
	idle->others = idle->running = UINT_MAX;
	idle->searched = false;
	if (engine->options->wall || target->tracees <= FEW || idle->load_fd < 0)
		return;
	runnable = procfs_read_runnable(idle->load_fd);
	if (runnable > 0)
		idle->others = idle->running = (unsigned)runnable - 1; /* we are one of them */
	if (idle_crowd(engine))
		idle->running = idle->cpus; /* to find all that wait is not worth it */
	idle->searched =
		idle->others != UINT_MAX && !idle_crowd(engine) && !sampler_is_over_budget(engine);
	if (sampler_is_over_budget(engine))
		idle->running = 0; /* nobody can be asked now */
}

static bool somebody_is_restless(const struct engine *engine, uint64_t now)
{
	const struct target *target = &engine->target;

	for (size_t i = 0; i < target->hot; i++)
		if (credit_restless(&target->tracee[i]->credit, now))
			return true;
	return false;
}

bool idle_hot_matter(const struct engine *engine, uint64_t now)
{
	return engine->idle.others ||
		(engine->target.hot <= FEW && somebody_is_restless(engine, now));
}

bool idle_crowd(const struct engine *engine)
{
	return engine->idle.others != UINT_MAX && engine->idle.others > CROWD * engine->idle.cpus &&
		!engine->fds_scarce; /* who waits for long must not keep a descriptor meanwhile */
}

/* The wall clock wants to know of the dormant, too. */
static bool is_worth_it(
	const struct engine *engine, const struct tracee *t, uint64_t round, uint64_t now)
{
	return engine->options->wall || now - t->credit.moved_at_ns < DORMANT_NS ||
		(round + (uint64_t)t->tid) % DORMANT_ROUNDS == 0;
}

/* Some of them in this tick, others in the next one. */
static struct tracee *next_in_turn(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	struct idle *idle = &engine->idle;

	while (idle->turns && target->hot < target->tracees) {
		struct tracee *t;

		idle->turns--;
		if (target->cold_cursor < target->hot || target->cold_cursor >= target->tracees) {
			target->cold_cursor = target->hot;
			target->cold_round++;
		}
		t = target->tracee[target->cold_cursor++];
		if (t->credit.seen_at_ns != now && is_worth_it(engine, t, target->cold_round, now))
			return t;
	}
	return NULL;
}

/* The hours of the clock from the present one on, to both sides: 0, -1, 1, -2, 2, … */
static size_t hour_at(uint64_t now, size_t distance)
{
	size_t offset = (distance + 1) / 2;

	return (target_hour(now) + (distance % 2 ? TARGET_SLEEPERS - offset : offset)) %
		TARGET_SLEEPERS;
}

/* Those whose time to wake it is, or was, or will be soon (target.h). */
static struct tracee *next_likely(struct engine *engine, uint64_t now)
{
	struct idle *idle = &engine->idle;

	while (idle->steps && (idle->at || idle->distance < TARGET_SLEEPERS)) {
		struct tracee *t = idle->at;

		if (!t) {
			idle->at = engine->target.sleeper[hour_at(now, idle->distance++)];
			continue;
		}
		idle->steps--;
		idle->at = t->after;
		if (t->credit.seen_at_ns != now && is_worth_it(engine, t, idle->ticks, now))
			return t;
	}
	return NULL;
}

struct tracee *idle_next(struct engine *engine, uint64_t now)
{
	struct idle *idle = &engine->idle;
	struct tracee *t = NULL;

	if (!idle->looks || (!idle->running && !idle->least))
		return NULL;
	idle->looks--;
	idle->since_ns += idle->share_ns;
	if (idle->least) {
		idle->least--;
		idle->least_since_ns += DOUBT * idle->share_ns;
	}
	if (engine->target.tracees > FEW && idle->running && ++idle->nth % IN_TURN)
		t = next_likely(engine, now);
	return t ? t : next_in_turn(engine, now);
}

bool idle_found_all(const struct engine *engine)
{
	return engine->idle.others && !engine->idle.running;
}

void idle_unwatch(struct engine *engine, struct tracee *t)
{
	engine->idle.watched -= t->watched_ns != 0;
	t->watched_ns = 0;
}

bool idle_watches(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct idle *idle = &engine->idle;

	if (t->watched_ns && now - t->watched_ns >= WATCH_NS) {
		idle_unwatch(engine, t);
		t->watch_again_ns = now + WATCH_AGAIN_NS;
	} else if (!t->watched_ns && !t->slept && idle->searched && idle->watched < WATCHED_MOST &&
		now >= t->watch_again_ns && !rhythm_is_known(&t->rhythm)) {
		t->watched_ns = now;
		idle->watched++;
	}
	return t->watched_ns;
}

/* Of one that slept it was seen just now that it woke; @runs: it still does. */
static void note_waking(const struct engine *engine, struct tracee *t, bool runs, uint64_t now)
{
	uint64_t unseen = t->credit.unseen_ns,
		 ran = t->credit.moved_ns < unseen ? t->credit.moved_ns : unseen;
	uint64_t longest = ran + engine->scheduler_tick_ns;

	rhythm_woke(&t->rhythm, now - (runs && longest < unseen ? longest : unseen), now - ran);
}

/* Does it, as far as is asked? */
static bool see_if_runs(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct activity activity;

	return !idle_found_all(engine) && engine->idle.running != UINT_MAX &&
		t->state == TRACEE_RUNNING &&
		credit_on_cpu(&t->credit, now, engine->scheduler_tick_ns) &&
		look_read_activity(engine, t, &activity) >= 0 && activity.running;
}

void idle_see(struct engine *engine, struct tracee *t, uint64_t now)
{
	struct idle *idle = &engine->idle;
	bool runs = see_if_runs(engine, t, now);

	t->runs_ns = runs ? now : 0;
	if ((t->slept || t->watched_ns) && t->credit.moved_at_ns == now) {
		t->slept = false;
		note_waking(engine, t, runs, now);
		if (rhythm_is_known(&t->rhythm))
			idle_unwatch(engine, t);
	}
	if (!runs)
		return;
	if (idle->running)
		idle->running--;
	else if (!idle->others)
		idle->others =
			UINT_MAX; /* the kernel's number was wrong, or somebody has just come */
}
