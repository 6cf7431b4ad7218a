/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "profile/audit.h"
#include "profile/foreign.h"
#include "profile/model.h"

/* By index of an item in the merged profile: its index in the profile into which it is merged. */
struct maps {
	uint32_t *mapping, *function, *location, *task, *sample;
	int value[VALUE_TYPES_MAX];
};

static void maps_release(struct maps *maps)
{
	free(maps->mapping);
	free(maps->function);
	free(maps->location);
	free(maps->task);
	free(maps->sample);
}

static int maps_init(struct maps *maps, const struct profile *from)
{
	*maps = (struct maps){
		.mapping = calloc(from->mappings + 1, sizeof(uint32_t)),
		.function = calloc(from->functions + 1, sizeof(uint32_t)),
		.location = calloc(from->locations + 1, sizeof(uint32_t)),
		.task = calloc(from->tasks + 1, sizeof(uint32_t)),
		.sample = calloc(from->samples + 1, sizeof(uint32_t)),
	};
	return maps->mapping && maps->function && maps->location && maps->task && maps->sample
		? 0
		: -ENOMEM;
}

static int merge_small(struct profile *into, const struct profile *from, struct maps *maps)
{
	bool first = !into->mappings;
	int index;

	for (size_t i = 0; i < from->value_types; i++) {
		struct value_type type = profile_value_type(from, i);

		maps->value[i] = profile_add_value_type(into, type.type, type.unit);
		if (maps->value[i] < 0)
			return maps->value[i];
	}
	if (profile_default_value(into) == SIZE_MAX && profile_default_value(from) != SIZE_MAX)
		profile_set_default_value(into, (size_t)maps->value[profile_default_value(from)]);
	for (size_t i = 0; i < from->mappings; i++) {
		struct mapping mapping = profile_mapping(from, i);

		index = profile_add_mapping(into, &mapping);
		if (index < 0)
			return index;
		maps->mapping[i] = (uint32_t)index;
		if (first && i == from->main)
			into->main = (uint32_t)index;
	}
	for (size_t i = 0; i < from->functions; i++) {
		struct function function = profile_function(from, i);

		index = profile_add_function(into, &function);
		if (index < 0)
			return index;
		maps->function[i] = (uint32_t)index;
	}
	for (size_t i = 0; i < from->tasks; i++) {
		struct task task = profile_task(from, i);

		index = profile_add_task(into, &task);
		if (index < 0)
			return index;
		maps->task[i] = (uint32_t)index;
		if (from->task[i].has_cpu_ns)
			(void)profile_add_task_cpu(into, (uint32_t)index, from->task[i].cpu_ns);
	}
	return 0;
}

static int merge_locations(struct profile *into, const struct profile *from, struct maps *maps)
{
	struct location_line *line = NULL;
	size_t room = 0;
	int index = 0;

	for (size_t i = 0; i < from->locations && index >= 0; i++) {
		struct location location = profile_location(from, i);

		index = array_grow(&line, &room, location.lines);
		if (index < 0)
			break;
		for (size_t j = 0; j < location.lines; j++) {
			line[j] = (struct location_line){
				maps->function[location.line[j].function], location.line[j].line};
		}
		index = profile_add_named_location(into, maps->mapping[location.mapping],
			location.address, line, location.lines);
		if (index >= 0)
			maps->location[i] = (uint32_t)index;
	}
	free(line);
	return index < 0 ? index : 0;
}

static int merge_samples(struct profile *into, const struct profile *from, struct maps *maps)
{
	uint32_t *stack = NULL;
	size_t room = 0;
	int error = 0, labels;

	for (size_t i = 0; i < from->samples && error >= 0; i++) {
		struct sample sample = profile_sample(from, i);
		int64_t values[VALUE_TYPES_MAX] = {0};

		error = array_grow(&stack, &room, sample.n);
		if (error < 0)
			break;
		for (size_t j = 0; j < sample.n; j++)
			stack[j] = maps->location[sample.location[j]];
		for (size_t j = 0; j < from->value_types; j++)
			values[maps->value[j]] = sample.value[j];
		labels = error = labels_copy(into, from, sample.labels);
		if (error >= 0)
			error = profile_add_labelled_stack(
				into, maps->task[sample.task], (uint32_t)labels, stack, sample.n);
		if (error < 0)
			break;
		maps->sample[i] = (uint32_t)error;
		profile_add_values(into, (size_t)error, values);
	}
	free(stack);
	return error < 0 ? error : 0;
}

/* Has the profile samples? [unsampled] time does not count: it has no instants in any profile. */
static bool is_counted(const struct profile *profile)
{
	for (size_t i = 0; i < profile->samples; i++) {
		if (profile_sample(profile, i).value[VALUE_SAMPLES])
			return true;
	}
	return false;
}

/*
 * Copies the instants. A stack's values are distributed over its instants, so all samples must have
 * instants, or none: if one of two profiles with samples has no time line, that of the other is
 * left out. @first: @into had no samples before.
 */
static int merge_timelines(
	struct profile *into, const struct profile *from, const struct maps *maps, bool first)
{
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
		instant.sample = maps->sample[instant.sample];
		error = timeline_add(into, &instant);
	}
	timeline_end(&cursor);
	return error;
}

static int note_other_command(struct profile *profile, const char *command)
{
	char *text;
	int error;

	if (asprintf(&text, "merged with a profile of: %s", command) < 0)
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
		into->period_ns = 0; /* The rates differ. */
	if (from->realtime_ns && (!into->realtime_ns || from->realtime_ns < into->realtime_ns))
		into->realtime_ns = from->realtime_ns;
	into->duration_ns += from->duration_ns;
	return error;
}

int profile_merge(struct profile *into, const struct profile *from)
{
	bool first = !is_counted(into);
	struct maps maps;
	int error;

	if (into == from)
		return -EINVAL;
	error = maps_init(&maps, from);
	if (error >= 0)
		error = audit_merge(into, from);
	if (error >= 0)
		error = merge_remarks(into, from);
	if (error >= 0)
		error = foreign_merge(into, from);
	if (error >= 0)
		error = merge_small(into, from, &maps);
	if (error >= 0)
		error = merge_locations(into, from, &maps);
	if (error >= 0)
		error = merge_samples(into, from, &maps);
	if (error >= 0)
		error = merge_timelines(into, from, &maps, first);
	maps_release(&maps);
	return error < 0 ? error : 0;
}
