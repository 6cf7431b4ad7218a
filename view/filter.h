/* SPDX-License-Identifier: MIT */
/*
 * Which samples, and which value type, the options choose. A name is matched with a pattern once,
 * not once per sample.
 */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include <stdbool.h>

#include "view/places.h"

struct filter {
	bool *focus;  /* by place: its function matches; NULL: all do */
	bool *object; /* by mapping: its file matches; NULL: all do */
	bool *thread; /* by task: its thread matches; NULL: all do */
	size_t value; /* index of the chosen value type; SIZE_MAX none */
};

/*
 * Matches the names. 0, -ENOMEM, or -EINVAL with a sentence in @ret_problem, which the caller
 * frees: a pattern of the options is no regular expression, or the profile does not have the value
 * type that they name.
 */
int filter_init(struct filter *filter, const struct profile *profile, const struct places *places,
	const struct report_options *options, char **ret_problem);
void filter_release(struct filter *filter);

bool filter_takes(const struct filter *filter, const struct profile *profile,
	const struct places *places, const struct sample *sample);

#endif
