/* SPDX-License-Identifier: MIT */
#include "view/filter.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef const char *name_at(const void *items, size_t index);

static const char *place_name(const void *items, size_t index)
{
	return ((const struct places *)items)->place[index].function;
}

static const char *mapping_name(const void *items, size_t index)
{
	return profile_mapping(items, index).file;
}

static const char *thread_name(const void *items, size_t index)
{
	return profile_task(items, index).thread;
}

/*
 * Sets (*@ret_flags)[i], which the caller frees: whether the name of item i matches @pattern. If
 * @pattern is NULL, *@ret_flags is unchanged. 0, -ENOMEM, or -EINVAL with a sentence in
 * *@ret_problem: @pattern is no regular expression.
 */
static int match_all(const char *pattern, const char *what, const void *items, size_t n,
	name_at *name, bool **ret_flags, char **ret_problem)
{
	regex_t regex;
	char reason[128];
	bool *flags;
	int error;

	if (!pattern)
		return 0;
	error = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (error) {
		(void)regerror(error, &regex, reason, sizeof(reason));
		return text_refuse(ret_problem, -EINVAL, "%s '%s' is not a regular expression: %s",
			what, pattern, reason);
	}
	flags = calloc(n + 1, sizeof(*flags));
	for (size_t i = 0; flags && i < n; i++)
		flags[i] = !regexec(&regex, name(items, i), 0, NULL, 0);
	regfree(&regex);
	*ret_flags = flags;
	return flags ? 0 : -ENOMEM;
}

/* Returns "samples, cpu, wall", which the caller frees. NULL: out of memory. */
static char *list_values(const struct profile *profile)
{
	char *text = strdup(""), *more;

	for (size_t i = 0; text && i < profile_value_types(profile); i++) {
		if (asprintf(&more, "%s%s%s", text, i ? ", " : "",
			    profile_value_type(profile, i).type) < 0)
			more = NULL;
		free(text);
		text = more;
	}
	return text;
}

static int choose_value(
	struct filter *filter, const struct profile *profile, const char *type, char **ret_problem)
{
	char *list;
	int r;

	if (!type)
		return 0;
	filter->value = profile_find_value_type(profile, type);
	if (filter->value < profile_value_types(profile))
		return 0;
	list = list_values(profile);
	r = list ? text_refuse(ret_problem, -EINVAL,
			   "there are no values '%s' in the profile; it has %s", type, list)
		 : -ENOMEM;
	free(list);
	return r;
}

int filter_init(struct filter *filter, const struct profile *profile, const struct places *places,
	const struct report_options *options, char **ret_problem)
{
	int error;

	*filter = (struct filter){.value = SIZE_MAX};
	error = choose_value(filter, profile, options->value, ret_problem);
	if (!error)
		error = match_all(options->focus, "focus", places, places->n, place_name,
			&filter->focus, ret_problem);
	if (!error)
		error = match_all(options->object, "object", profile, profile_mappings(profile),
			mapping_name, &filter->object, ret_problem);
	if (!error)
		error = match_all(options->thread, "thread", profile, profile_tasks(profile),
			thread_name, &filter->thread, ret_problem);
	if (error)
		filter_release(filter);
	return error;
}

void filter_release(struct filter *filter)
{
	free(filter->focus);
	free(filter->object);
	free(filter->thread);
	*filter = (struct filter){0};
}

static bool is_in_focus(
	const struct filter *filter, const struct places *places, const struct sample *sample)
{
	for (size_t i = 0; i < sample->n; i++) {
		size_t n;
		const uint32_t *of = places_of(places, sample->location[i], &n);

		for (size_t j = 0; j < n; j++) {
			if (filter->focus[of[j]])
				return true;
		}
	}
	return false;
}

bool filter_takes(const struct filter *filter, const struct profile *profile,
	const struct places *places, const struct sample *sample)
{
	if (filter->thread && !filter->thread[sample->task])
		return false;
	if (filter->object &&
		(!sample->n ||
			!filter->object[profile_location(profile, sample->location[0]).mapping]))
		return false;
	return !filter->focus || is_in_focus(filter, places, sample);
}
