/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "profile/audit.h"
#include "profile/foreign.h"
#include "profile/profile_copier.h"

/*
 * Adds the value types of @from to @into. Sets @value[i] to the index in @into of type i of @from.
 */
static int merge_types(struct profile *into, const struct profile *from, int *value)
{
	for (size_t i = 0; i < from->value_types; i++) {
		struct value_type type = profile_value_type(from, i);

		value[i] = profile_add_value_type(into, type.type, type.unit);
		if (value[i] < 0)
			return value[i];
	}
	if (profile_default_value(into) == SIZE_MAX && profile_default_value(from) != SIZE_MAX)
		profile_set_default_value(into, (size_t)value[profile_default_value(from)]);
	return 0;
}

static int merge_items(struct profile_copier *s)
{
	bool first = !s->into->mappings;
	int r = 0;

	for (uint32_t i = 0; i < s->from->mappings && r >= 0; i++) {
		r = profile_copier_mapping(s, i);
		if (r >= 0 && first && i == s->from->main)
			s->into->main = (uint32_t)r;
	}
	for (uint32_t i = 0; i < s->from->functions && r >= 0; i++)
		r = profile_copier_function(s, i);
	for (uint32_t i = 0; i < s->from->tasks && r >= 0; i++) {
		r = profile_copier_task(s, i);
		if (r >= 0 && s->from->task[i].has_cpu_ns)
			r = profile_add_task_cpu(s->into, (uint32_t)r, s->from->task[i].cpu_ns);
	}
	for (uint32_t i = 0; i < s->from->locations && r >= 0; i++)
		r = profile_copier_location(s, i);
	return r;
}

static int merge_samples(struct profile_copier *s, const int *value)
{
	int r = 0;

	for (size_t i = 0; i < s->from->samples && r >= 0; i++) {
		struct sample sample = profile_sample(s->from, i);
		int64_t values[VALUE_TYPES_MAX] = {0};

		for (size_t j = 0; j < s->from->value_types; j++)
			values[value[j]] = sample.value[j];
		r = profile_copier_sample(s, i, values);
	}
	return r;
}

/*
 * Does the profile have samples? CPU time without a sample ("[unsampled]") has none, and no
 * instants.
 */
static bool is_counted(const struct profile *profile)
{
	for (size_t i = 0; i < profile->samples; i++) {
		if (profile_sample(profile, i).value[VALUE_SAMPLES])
			return true;
	}
	return false;
}

/*
 * A stack's values are distributed over its instants. So in a merged profile either all samples
 * must have instants, or none. If only one of two profiles with samples has a time line, the merged
 * profile gets none. @first: @into had no samples before.
 */
static int merge_timelines(struct profile_copier *s, bool first)
{
	struct profile *into = s->into;
	const struct profile *from = s->from;
	struct timeline_cursor cursor;
	struct instant instant;
	bool mine = timeline_instants(into), its = timeline_instants(from);
	int error;

	if (timeline_why_left_out(from))
		timeline_leave_out(into, timeline_why_left_out(from));
	if (!first && mine != its && is_counted(from)) {
		timeline_forget(into);
		return profile_add_note(
			into, "merged from profiles with a time line and without: it is left out");
	}
	error = timeline_begin(&cursor, from);
	while (error >= 0 && timeline_next(&cursor, &instant)) {
		instant.sample = (uint32_t)s->sample[instant.sample];
		error = timeline_add(into, &instant);
	}
	timeline_end(&cursor);
	return error;
}

static int note_other_command(struct profile *profile, const char *command)
{
	char *text;
	int error;

	if (asprintf(&text, PROFILE_MERGED_WITH "%s", command) < 0)
		return -ENOMEM;
	error = profile_add_note(profile, text);
	free(text);
	return error;
}

static int merge_remarks(struct profile *into, const struct profile *from)
{
	const char *command = profile_command(from), *mine = profile_command(into);
	uint64_t period = from->period_ns;
	int error = 0;

	for (size_t i = 0; i < from->notes && error >= 0; i++)
		error = profile_copy_note(into, from, i);
	if (error >= 0 && command[0] && !mine[0])
		error = profile_set_command(into, command);
	else if (error >= 0 && command[0] && strcmp(command, mine) != 0)
		error = note_other_command(into, command);
	if (error >= 0 && period && into->period_ns && period != into->period_ns)
		error = profile_add_note(into, "merged from profiles of different rates");
	if (!into->samples)
		into->period_ns = period;
	else if (from->samples && period != into->period_ns)
		into->period_ns = 0; /* unknown: the rates differ */
	if (from->realtime_ns && (!into->realtime_ns || from->realtime_ns < into->realtime_ns))
		into->realtime_ns = from->realtime_ns;
	into->duration_ns += from->duration_ns;
	return error;
}

int profile_merge(struct profile *into, const struct profile *from)
{
	bool first = !is_counted(into);
	int value[VALUE_TYPES_MAX], error;
	struct profile_copier s;

	if (into == from)
		return -EINVAL;
	error = profile_copier_init(&s, into, from);
	if (error >= 0)
		error = audit_merge(into, from);
	if (error >= 0)
		error = merge_remarks(into, from);
	if (error >= 0)
		error = foreign_merge(into, from);
	if (error >= 0)
		error = merge_types(into, from, value);
	if (error >= 0)
		error = merge_items(&s);
	if (error >= 0)
		error = merge_samples(&s, value);
	if (error >= 0)
		error = merge_timelines(&s, first);
	profile_copier_release(&s);
	return error < 0 ? error : 0;
}
