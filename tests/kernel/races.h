/* SPDX-License-Identifier: MIT */
/*
 * Plays a race: in every order, in random orders, and with the supervisor killed at any of its
 * calls.
 */
#ifndef TESTS_KERNEL_RACES_H
#define TESTS_KERNEL_RACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernel/explore.h"
#include "tests/kernel/scene.h"

#define MS INT64_C(1000000)
#define HOOKED(name, ...)                          \
	static void name##_build(struct kernel *k) \
	{                                          \
		__VA_ARGS__                        \
	}

/*
 * Each race is played in all orders with up to EARLY early choices (explore.h), but in MOST of them
 * at most; and then in RANDOM random orders.
 */
enum { EARLY = 2, RANDOM = 500, MOST = 2000 };

static inline void judge(const char *name, const struct explored *e)
{
	if (e->failed)
		(void)fprintf(stderr, "%s, after %lu orders: %s\n%s\n", name, e->orders, e->failure,
			e->log ? e->log : "");
	else if (getenv("KERNEL_ORDERS"))
		print_message("%s: %lu orders%s\n", name, e->orders, e->complete ? ", all" : "");
	free(e->log);
	assert_false(e->failed);
}

/*
 * The environment may set: KERNEL_SEED and KERNEL_COUNT, the seed and the number of the random
 * orders; KERNEL_MOST, the number of orders of a race instead of MOST, and an upper limit for all
 * other scripts.
 */
static inline unsigned long bounded(unsigned long most)
{
	const char *bound = getenv("KERNEL_MOST");
	unsigned long n = bound ? strtoul(bound, NULL, 0) : most;

	return n < most || most == MOST ? n : most;
}

static inline void play_orders(const char *name, struct scene *scene, unsigned early,
	unsigned long most, unsigned long random)
{
	static const int target[] = {100};
	const char *seed = getenv("KERNEL_SEED"), *count = getenv("KERNEL_COUNT");
	struct explored e;

	if (!scene->pids && !scene->command) {
		scene->pids = target;
		scene->pids_n = 1;
	}
	scene->was_n = 0;
	e = explore_all(scene_play, scene, early, bounded(most));
	judge(name, &e);
	if (!random)
		return;
	e = explore_random(scene_play, scene, seed ? strtoull(seed, NULL, 0) : 1,
		count ? strtoul(count, NULL, 0) : random);
	judge(name, &e);
}

static inline void race(const char *name, struct scene *scene)
{
	play_orders(name, scene, EARLY, MOST, RANDOM);
}

/* Plays some orders of a long script. */
static inline void some(const char *name, struct scene *scene)
{
	play_orders(name, scene, 1, 60, 30);
}

/* One run, in the first order. */
static inline void once(const char *name, struct scene *scene)
{
	play_orders(name, scene, 0, 1, 0);
}

/* Kills the supervisor at each of its first @most calls. */
static inline void killed_anywhere(const char *name, struct scene *scene, unsigned long most)
{
	static const int target[] = {100};

	scene->pids = target;
	scene->pids_n = 1;
	for (scene->dies_at = 1; scene->dies_at <= most; scene->dies_at++) {
		struct explored e = explore_all(scene_play, scene, 1, bounded(16));

		judge(name, &e);
	}
	scene->dies_at = 0;
}

static inline struct scene following(void (*build)(struct kernel *k))
{
	return (struct scene){.build = build, .same = true, .options = {.follow = true}};
}

/* The engine must not wait for tasks that are gone: it checks for them once a second. */
static inline void has_ended(struct kernel *k, const struct engine_result *result)
{
	(void)result;
	if (!kernel_group(k, 100)->ended)
		kernel_fail(k, "process 100 does not end");
	if (k->ended_ns > UINT64_C(5900000000))
		kernel_fail(k, "the supervisor does not notice that all is over");
}

#endif
