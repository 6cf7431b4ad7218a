/* SPDX-License-Identifier: MIT */
/* A function with its callers and its callees. */
#include <errno.h>
#include <string.h>

#include "view/live/live_internal.h"

#define NOBODY "[no caller]"

struct sides {
	/* by function: weight as a callee of the view's function; live->total has the callers' */
	double *callee;
	double self, total; /* of the view's function */
};

/*
 * Counts one stack, leaf first. Each caller of @function, the view's function, counts once per
 * stack. One callee counts: the function called by the innermost frame of @function. A function
 * that calls itself is not its own caller.
 */
static void walk(struct live *live, const struct sample *sample, double weight, uint32_t function,
	struct sides *sides)
{
	const struct places *places = &live->functions;
	uint32_t nobody = (uint32_t)places->n, below = LIVE_NONE;
	bool seen = false, waits = false, leaf = true;

	for (size_t i = live_first_frame(live, sample); i < sample->n; i++) {
		const struct place_location *l = &places->location[sample->location[i]];

		for (size_t j = l->first; j < l->first + l->n; j++) {
			uint32_t place = places->of[j];

			if (waits && place != function) {
				live_add_total(live, place, weight);
				waits = false;
			}
			if (place == function) {
				sides->self += leaf ? weight : 0;
				sides->total += seen ? 0 : weight;
				if (!seen && below != LIVE_NONE)
					sides->callee[below] += weight;
				seen = waits = true;
			}
			below = place;
			leaf = false;
		}
	}
	if (waits)
		live_add_total(live, nobody, weight);
}

static int add_side(struct live *live, const double *value, size_t n, enum live_relation relation)
{
	const struct places *places = &live->functions;

	for (size_t i = 0; i < n; i++) {
		bool nobody = i == places->n;
		struct live_row row = {.id = (uint64_t)relation << 32 | i,
			.total = value[i],
			.name = nobody ? NOBODY : places->place[i].function,
			.object = nobody ? "" : places->place[i].object,
			.place = nobody ? LIVE_NONE : (uint32_t)i,
			.relation = (uint8_t)relation};

		if (value[i] > 0 && live_add_row(live, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

int live_collect_callers(struct live *live, struct live_page *page)
{
	const struct places *places = &live->functions;
	size_t n = places->n, at = 0;
	struct sides sides = {0};
	double weight, whole = 0;
	struct sample sample;
	int r;

	if (page->place >= n || live_clear_sums(live, n + 1) < 0)
		return page->place >= n ? 0 : -ENOMEM;
	/*
	 * live->total has the weights of the callers, and behind them that of "no caller".
	 * live->self has the weights of the callees.
	 */
	sides.callee = live->self;
	while (live_next_stack(live, page, &at, &sample, &weight)) {
		whole += weight;
		live->stamps++;
		walk(live, &sample, weight, page->place, &sides);
	}
	live_set_whole(live, whole);
	r = add_side(live, live->total, n + 1, LIVE_CALLER);
	if (r == 0)
		r = live_add_row(live,
			&(struct live_row){.id = (uint64_t)LIVE_ITSELF << 32 | page->place,
				.self = sides.self,
				.total = sides.total,
				.name = places->place[page->place].function,
				.object = places->place[page->place].object,
				.place = page->place,
				.relation = LIVE_ITSELF});
	return r < 0 ? r : add_side(live, live->self, n, LIVE_CALLEE);
}
