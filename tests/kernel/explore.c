/* SPDX-License-Identifier: MIT */
#include "tests/kernel/explore.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	uint16_t chosen, of, cost;
};

/* How choices are made that the given order does not contain. */
enum picking { PICK_FIRST, PICK_RANDOM, PICK_SPREAD };

struct player {
	struct choice choice[KERNEL_CHOICES];
	size_t n;     /* choices made in this order so far */
	size_t given; /* choices that the given order contains */
	unsigned spent, most_early;
	size_t points; /* number of choices with a cost, in the first order */
	enum picking picking;
	uint64_t state;
};

/* Keeps the heap's memory from one order to the next, for speed. */
static void keep_heap(void)
{
	(void)mallopt(M_TRIM_THRESHOLD, 16 << 20);
	(void)mallopt(M_TOP_PAD, 1 << 20);
}

static uint64_t next_random(struct player *p)
{
	p->state ^= p->state << 13;
	p->state ^= p->state >> 7;
	p->state ^= p->state << 17;
	return p->state;
}

/*
 * Picks a choice beyond the end of the given order. A choice that is not 0 and has a cost makes
 * something happen early. PICK_FIRST: 0. PICK_RANDOM: three quarters of the choices with a cost are
 * 0, otherwise nothing would ever be late. PICK_SPREAD: about p->most_early of the choices with a
 * cost are not 0; they may be anywhere in the order.
 */
static unsigned pick(struct player *p, unsigned n, unsigned cost)
{
	if (p->picking == PICK_FIRST)
		return 0;
	if (p->picking == PICK_RANDOM)
		return cost && next_random(p) % 4 ? 0 : (unsigned)(next_random(p) % n);
	if (cost &&
		(p->spent + cost > p->most_early || next_random(p) % p->points >= p->most_early))
		return 0;
	return cost ? 1 + (unsigned)(next_random(p) % (n - 1)) : (unsigned)(next_random(p) % n);
}

static unsigned choose(void *context, unsigned n, unsigned cost)
{
	struct player *p = context;
	unsigned chosen;

	if (p->n == KERNEL_CHOICES)
		return 0;
	chosen = p->n < p->given ? p->choice[p->n].chosen % n : pick(p, n, cost);
	p->choice[p->n++] = (struct choice){(uint16_t)chosen, (uint16_t)n, (uint16_t)cost};
	if (chosen)
		p->spent += cost;
	return chosen;
}

/* Plays one order. True: the run failed, and its cause is in @ret. */
static bool play_once(
	struct player *p, script_play *play, void *context, struct explored *ret, bool logged)
{
	const struct oracle oracle = {choose, p};
	struct kernel *k = kernel_new(&oracle);
	bool failed;

	p->n = p->spent = 0;
	if (logged) {
		k->log_room = 4096;
		k->log = calloc(1, k->log_room);
	}
	play(k, context);
	kernel_in_use = NULL;
	failed = k->broken;
	if (failed)
		memcpy(ret->failure, k->failure, sizeof(ret->failure));
	if (logged) {
		free(ret->log);
		ret->log = k->log;
		k->log = NULL;
	}
	kernel_free(k);
	return failed;
}

/* Makes the order that was just played the given one, which the next run repeats. */
static void keep(struct player *p)
{
	p->given = p->n;
	p->picking = PICK_FIRST;
}

static void shorten(struct player *p, script_play *play, void *context, struct explored *ret)
{
	struct player *tried = malloc(sizeof(*tried));
	bool better = tried != NULL;

	keep(p);
	while (better) {
		better = false;
		for (size_t i = p->given; i-- > 0;) {
			if (!p->choice[i].chosen)
				continue;
			*tried = *p;
			tried->choice[i].chosen = 0;
			if (!play_once(tried, play, context, ret, false))
				continue;
			keep(tried);
			*p = *tried;
			better = true;
			if (i > p->given)
				i = p->given;
		}
	}
	free(tried);
	while (p->given && !p->choice[p->given - 1].chosen)
		p->given--;
	for (size_t i = 0; i < p->given; i++)
		ret->choices += p->choice[i].chosen != 0;
	(void)play_once(p, play, context, ret, true);
}

/*
 * Makes the order that follows the one just played the given order: changes the last choice that
 * can still grow, and drops those after it. False: there is no further order.
 */
static bool advance(struct player *p)
{
	unsigned spent = p->spent;

	for (size_t i = p->n; i-- > 0;) {
		struct choice *c = &p->choice[i];
		unsigned without = spent - (c->chosen ? c->cost : 0U);

		if (c->chosen + 1U < c->of && without + c->cost <= p->most_early) {
			c->chosen++;
			p->given = i + 1;
			return true;
		}
		spent = without;
	}
	return false;
}

/*
 * Plays every order with at most @early early choices. False: one has failed, or @most have been
 * played.
 */
static bool play_in_turn(struct player *p, script_play *play, void *context, unsigned early,
	unsigned long most, struct explored *ret)
{
	p->picking = PICK_FIRST;
	p->most_early = early;
	p->given = 0;
	do {
		if (ret->orders >= most)
			return false;
		ret->failed = play_once(p, play, context, ret, false);
		ret->orders++;
		if (ret->orders > 1)
			continue;
		for (size_t i = 0; i < p->n; i++)
			p->points += p->choice[i].cost;
	} while (!ret->failed && advance(p));
	return !ret->failed;
}

static void play_drawn(struct player *p, script_play *play, void *context, enum picking picking,
	uint64_t seed, unsigned long most, struct explored *ret)
{
	while (!ret->failed && ret->orders < most) {
		p->picking = picking;
		p->given = 0;
		p->state = (seed + ret->orders) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		ret->failed = play_once(p, play, context, ret, false);
		ret->orders++;
	}
}

struct explored explore_all(
	script_play *play, void *context, unsigned most_early, unsigned long most)
{
	struct player *p = calloc(1, sizeof(*p));
	struct explored ret = {0};

	if (!p)
		abort();
	keep_heap();
	/*
	 * play_in_turn() varies the last choices of an order first. If there are too many orders,
	 * it never varies the choices at the script's beginning. So it gets, for each number of
	 * early choices, half of the orders that are left. The rest are drawn by PICK_SPREAD, whose
	 * early choices may be anywhere in the script.
	 */
	for (unsigned early = 0; early <= most_early && !ret.failed; early++) {
		ret.complete = play_in_turn(
			p, play, context, early, ret.orders + (most - ret.orders + 1) / 2, &ret);
		if (!ret.complete)
			break;
	}
	if (!ret.complete && p->points) {
		p->most_early = most_early;
		play_drawn(p, play, context, PICK_SPREAD, 1, most, &ret);
	}
	if (ret.failed)
		shorten(p, play, context, &ret);
	free(p);
	return ret;
}

struct explored explore_random(script_play *play, void *context, uint64_t seed, unsigned long count)
{
	struct player *p = calloc(1, sizeof(*p));
	struct explored ret = {0};

	if (!p)
		abort();
	play_drawn(p, play, context, PICK_RANDOM, seed, count, &ret);
	ret.complete = !ret.failed;
	if (ret.failed)
		shorten(p, play, context, &ret);
	free(p);
	return ret;
}
