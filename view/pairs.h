/* SPDX-License-Identifier: MIT */
/* Pairs of numbers, each stored once, in order of first appearance. */
#ifndef VIEW_PAIRS_H
#define VIEW_PAIRS_H

#include "base/table.h"

struct pair {
	uint64_t a, b;
};

struct pairs {
	struct table table;
	struct pair *pair;
	size_t n, room;
};

/* Returns the index of the pair, which is added if it is new, or -ENOMEM. */
int pairs_add(struct pairs *pairs, uint64_t a, uint64_t b);
void pairs_release(struct pairs *pairs);

#endif
