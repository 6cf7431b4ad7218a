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

/* A script: makes tasks, runs the supervisor, and reports faults by kernel_fail(). */
typedef void script_play(struct kernel *kernel, void *context);

struct explored {
	unsigned long orders;
	bool complete; /* all orders within the bound were played */
	bool failed;
	unsigned choices; /* number of choices in the shortest failing order that are not 0 */
	char failure[256];
	char *log; /* events of that order, one a line; freed by the caller; NULL: none failed */
};

/*
 * Plays every order with at most @most_early early choices. An early choice has a cost and is not
 * 0: it makes something happen before it must. Orders without early choices come first, then those
 * with one, and so on. At most @most orders are played: if there are more, the last ones are drawn,
 * with a fixed seed, with early choices anywhere in the script.
 */
struct explored explore_all(
	script_play *play, void *context, unsigned most_early, unsigned long most);
/* Plays @count orders chosen at random; the same @seed gives the same orders. */
struct explored explore_random(
	script_play *play, void *context, uint64_t seed, unsigned long count);

#endif
