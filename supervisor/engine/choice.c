/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/choice.h"

#include "base/clock.h"
#include "supervisor/engine/counting.h"
#include "supervisor/engine/engine_state.h"

/* A name is read again after 1/AGE_PART of the time since choice_since_ns, within these bounds. */
#define WAIT_LEAST_NS 2000000
#define WAIT_MOST_NS  200000000
#define AGE_PART      4
/*
 * choice_poll() reads at most READ_MOST names. If more are due, it reads on after AGAIN_NS. To read
 * a name takes 2 us, so this takes 0.4 % of a CPU at most.
 */
#define READ_MOST 8
#define AGAIN_NS  4000000

static bool matches(const struct choice_rule *rule, const struct tracee *t)
{
	char name[PROCFS_NAME_BYTES];

	procfs_read_name(t->process->pid, t->tid, name);
	return choice_rule_matches(rule, name);
}

static bool has_session(const struct tracee *t)
{
	return t->session || (t->process && t->process->session);
}

/* Adds the thread to the sampler if it is to be sampled now, or removes it. -ENOMEM: not added. */
static int settle(struct engine *engine, struct tracee *t)
{
	bool wanted = !t->left_out || has_session(t);

	if (wanted && !t->sample)
		return sampling_add(engine, t);
	if (!wanted && t->sample)
		sampling_remove(engine, t);
	return 0;
}

static void note_chosen(struct engine *engine, struct tracee *t)
{
	engine->choice.any = true;
	if (!t->was_chosen)
		engine->audit.chosen_threads++;
	t->was_chosen = true;
}

static void examine_again(struct engine *engine, struct tracee *t, uint64_t now)
{
	uint64_t wait = (now - t->choice_since_ns) / AGE_PART;

	if (wait < WAIT_LEAST_NS)
		wait = WAIT_LEAST_NS;
	t->choice_again_ns = now + (wait < WAIT_MOST_NS ? wait : WAIT_MOST_NS);
	if (!engine->choice.next_ns || t->choice_again_ns < engine->choice.next_ns)
		engine->choice.next_ns = t->choice_again_ns;
}

int choice_add(struct engine *engine, struct tracee *t)
{
	const struct choice_rule *rule = engine->options->choice;

	if (!rule)
		return sampling_add(engine, t);
	t->left_out = !choice_rule_lists(rule, t->tid) && !(rule->name && matches(rule, t));
	if (!t->left_out)
		note_chosen(engine, t);
	if (rule->name && !choice_rule_lists(rule, t->tid)) {
		t->choice_since_ns = clock_now();
		examine_again(engine, t, t->choice_since_ns);
	}
	return settle(engine, t);
}

static void change(struct engine *engine, struct tracee *t, uint64_t now)
{
	counting_close(engine, t);
	t->left_out = !t->left_out;
	t->wall = (struct wall){0};
	if (!t->left_out) {
		note_chosen(engine, t);
		if (engine->counting)
			blocked_scan_begin(engine, t, &t->account.seen, now);
	}
	/* On -ENOMEM the thread is not sampled, but its CPU time is counted. */
	(void)settle(engine, t);
	t->choice_since_ns = now;
}

static void update_choice(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (matches(engine->options->choice, t) == t->left_out)
		change(engine, t, now);
	examine_again(engine, t, now);
}

void choice_renew(struct engine *engine, struct tracee *t, uint64_t now)
{
	if (!t->choice_again_ns)
		return;
	t->choice_since_ns = now;
	update_choice(engine, t, now);
}

void choice_poll(struct engine *engine, uint64_t now)
{
	struct target *target = &engine->target;
	uint64_t next = 0;
	size_t read = 0;

	if (!engine->choice.next_ns || now < engine->choice.next_ns)
		return;
	for (size_t i = 0; i < target->tracees; i++) {
		struct tracee *t = target->tracee[i];

		if (!t->choice_again_ns || !t->process || t->state == TRACEE_GONE)
			continue;
		if (t->choice_again_ns <= now && read < READ_MOST) {
			read++;
			update_choice(engine, t, now);
		}
		if (!next || t->choice_again_ns < next)
			next = t->choice_again_ns;
	}
	/* More names are due, but the engine's other work comes in between. */
	engine->choice.next_ns = next && next <= now ? now + AGAIN_NS : next;
}

void choice_see_sessions(struct engine *engine)
{
	for (size_t i = 0; engine->options->choice && i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		if (t->process && t->left_out)
			(void)settle(engine, t);
	}
}

uint64_t choice_count(const struct engine *engine)
{
	uint64_t n = 0;

	for (size_t i = 0; engine->options->choice && i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];

		t->was_chosen = !t->left_out;
		n += t->was_chosen;
	}
	return n;
}
