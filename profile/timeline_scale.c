/* SPDX-License-Identifier: MIT */
#include "profile/timeline_scale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/*
 * Adds up the weights of the instants by stack and state; if scale->counted, the number of
 * instants.
 */
static int sum_up(const struct timeline_scale *scale, const struct profile *profile)
{
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_begin(&cursor, profile);

	while (r >= 0 && timeline_next(&cursor, &instant))
		scale->factor[instant.sample][instant.state] +=
			scale->counted ? 1 : (double)instant.weight_ns;
	timeline_end(&cursor);
	return r;
}

/* Finds the value type of each state; SIZE_MAX: none. */
static void find_values(const struct profile *profile, size_t of[TIMELINE_STATES])
{
	static const char *const names[TIMELINE_STATES] = {"cpu", "runqueue", "blocked"};

	for (int i = 0; i < TIMELINE_STATES; i++) {
		of[i] = profile_find_value_type(profile, names[i]);
		if (of[i] == profile_value_types(profile))
			of[i] = SIZE_MAX;
	}
}

static double part(double value, double sum)
{
	return sum > 0 ? value / sum : 0;
}

/*
 * On entry @factor has each state's sum of weights in a stack. Replaces it by a factor: an
 * instant's part of the stack's value is its weight times the factor of its state. With @each, the
 * instants of state i share the value of type @of[i]. Otherwise the instants of state @only (-1: of
 * all states) share values[@value].
 */
static void make_factors(double factor[TIMELINE_STATES], const int64_t *values, size_t value,
	int only, bool each, const size_t of[TIMELINE_STATES])
{
	double sum = 0;

	for (int i = 0; i < TIMELINE_STATES; i++)
		sum += factor[i];
	for (int i = 0; i < TIMELINE_STATES; i++) {
		if (each)
			factor[i] = of[i] == SIZE_MAX ? 0 : part((double)values[of[i]], factor[i]);
		else if (only >= 0)
			factor[i] = i == only ? part((double)values[value], factor[i]) : 0;
		else
			factor[i] = factor[i] > 0 ? part((double)values[value], sum) : 0;
	}
}

int timeline_scale_init(struct timeline_scale *scale, const struct profile *profile, size_t value)
{
	bool each = !strcmp(profile_value_type(profile, value).type, "wall");
	size_t of[TIMELINE_STATES];
	int only = -1, r;

	*scale = (struct timeline_scale){.counted = value == VALUE_SAMPLES};
	scale->factor = calloc(profile_samples(profile) + 1, sizeof(*scale->factor));
	r = scale->factor ? sum_up(scale, profile) : -ENOMEM;
	if (r < 0) {
		timeline_scale_release(scale);
		return r;
	}
	find_values(profile, of);
	for (int i = 0; i < TIMELINE_STATES; i++)
		only = of[i] == value ? i : only;
	for (size_t i = 0; i < profile_samples(profile); i++)
		make_factors(
			scale->factor[i], profile_sample(profile, i).value, value, only, each, of);
	return 0;
}

void timeline_scale_release(struct timeline_scale *scale)
{
	free(scale->factor);
	*scale = (struct timeline_scale){0};
}
