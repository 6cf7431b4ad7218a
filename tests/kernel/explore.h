/* SPDX-License-Identifier: MIT */
/*
 * Plays a script in every order that the scripted kernel may give, or in random ones, and shortens
 * an order that fails. An order is the list of the choices made (kernel_choose()); a choice beyond
 * its end is 0: nothing happens until the supervisor sleeps, and then tasks act in turn.
 */
#ifndef TESTS_KERNEL_EXPLORE_H
#define TESTS_KERNEL_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/kernel/kernel.h"

/* Makes tasks, runs the supervisor, checks with kernel_fail(). */
typedef void script_play(struct kernel *kernel, void *context);

struct explored {
	unsigned long orders;
	bool complete; /* every order within the bound was played */
	bool failed;
	unsigned choices; /* of the shortest failing order: how many are not 0 */
	char failure[256];
	char *log; /* what happens in that order, one event a line; freed by the caller; NULL */
};

/*
 * Every order with at most @most_early choices that are not 0, of those that cost something: so
 * often something happens before it must. First those with none, then with one, and so on. Not more
 * than @most orders: if they are more, those of them that come last are drawn from anywhere in the
 * script, with a fixed seed.
 */
struct explored explore_all(
	script_play *play, void *context, unsigned most_early, unsigned long most);
/* @count orders chosen at random; the same @seed gives the same ones. */
struct explored explore_random(
	script_play *play, void *context, uint64_t seed, unsigned long count);

#endif
