/* SPDX-License-Identifier: MIT */
/* The samples and the value type that the options choose. Patterns are matched once per name. */
#ifndef VIEW_FILTER_H
#define VIEW_FILTER_H

#include <stdbool.h>

#include "view/places.h"

struct filter {
	bool *focus;  /* by place (a function, places.h): its name matches; NULL: all match */
	bool *object; /* by mapping: its file matches; NULL: all do */
	bool *thread; /* by task: the name of its thread matches; NULL: all match */
	size_t value; /* index of the chosen value type; SIZE_MAX: none was chosen */
};

/*
 * Returns 0, -ENOMEM or -EINVAL: a pattern is no regular expression, or the profile lacks the value
 * type; *@ret_problem is then a sentence, which the caller frees.
 */
int filter_init(struct filter *filter, const struct profile *profile, const struct places *places,
	const struct report_options *options, char **ret_problem);
void filter_release(struct filter *filter);

bool filter_takes(const struct filter *filter, const struct profile *profile,
	const struct places *places, const struct sample *sample);

#endif
