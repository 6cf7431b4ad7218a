/* SPDX-License-Identifier: MIT */
/*
 * The samples, and the values of them, that the options choose. Each name is matched once, not once
 * per sample.
 */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include <stdbool.h>

#include "view/places.h"

struct filter {
	bool *focus;  /* by place; NULL all */
	bool *object; /* by mapping; NULL all */
	bool *thread; /* by task; NULL all */
	size_t value; /* index of the chosen value type; SIZE_MAX none */
};

/* Results and @ret_problem: as report->print. */
int filter_init(struct filter *filter, const struct profile *profile, const struct places *places,
	const struct report_options *options, char **ret_problem);
void filter_release(struct filter *filter);

bool filter_takes(const struct filter *filter, const struct profile *profile,
	const struct places *places, const struct sample *sample);

#endif
