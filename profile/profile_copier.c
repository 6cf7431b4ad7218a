/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/profile_copier.h"

static int *unknown(size_t n)
{
	int *index = malloc((n + 1) * sizeof(*index));

	for (size_t i = 0; index && i < n; i++)
		index[i] = -1;
	return index;
}

int profile_copier_mapping(struct profile_copier *s, uint32_t index)
{
	struct mapping mapping;

	if (s->mapping[index] < 0) {
		mapping = profile_mapping(s->from, index);
		s->mapping[index] = profile_add_mapping(s->into, &mapping);
	}
	return s->mapping[index];
}

int profile_copier_function(struct profile_copier *s, uint32_t index)
{
	struct function function;

	if (s->function[index] < 0) {
		function = profile_function(s->from, index);
		s->function[index] = profile_add_function(s->into, &function);
	}
	return s->function[index];
}

int profile_copier_location(struct profile_copier *s, uint32_t index)
{
	struct location location = profile_location(s->from, index);
	int mapping = profile_copier_mapping(s, location.mapping);

	if (s->location[index] >= 0 || mapping < 0)
		return mapping < 0 ? mapping : s->location[index];
	if (array_grow(&s->line, &s->line_room, location.lines + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < location.lines; i++) {
		int function = profile_copier_function(s, location.line[i].function);

		if (function < 0)
			return function;
		s->line[i] = (struct location_line){(uint32_t)function, location.line[i].line};
	}
	s->location[index] = profile_add_named_location(
		s->into, (uint32_t)mapping, location.address, s->line, location.lines);
	return s->location[index];
}

int profile_copier_task(struct profile_copier *s, uint32_t index)
{
	struct task task;

	if (s->task[index] < 0) {
		task = profile_task(s->from, index);
		s->task[index] = profile_add_task(s->into, &task);
	}
	return s->task[index];
}

int profile_copier_sample(struct profile_copier *s, size_t index, const int64_t *values)
{
	struct sample sample = profile_sample(s->from, index);
	int task = profile_copier_task(s, sample.task), labels, into;

	if (array_grow(&s->stack, &s->stack_room, sample.n + 1) < 0)
		return -ENOMEM;
	if (task < 0)
		return task;
	for (size_t i = 0; i < sample.n; i++) {
		int location = profile_copier_location(s, sample.location[i]);

		if (location < 0)
			return location;
		s->stack[i] = (uint32_t)location;
	}
	labels = labels_copy(s->into, s->from, sample.labels);
	if (labels < 0)
		return labels;
	into = profile_add_labelled_stack(
		s->into, (uint32_t)task, (uint32_t)labels, s->stack, sample.n);
	if (into < 0)
		return into;
	profile_add_values(s->into, (size_t)into, values);
	s->sample[index] = into;
	return 0;
}

int profile_copier_instants(struct profile_copier *s, uint64_t from_ns, uint64_t to_ns)
{
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_begin(&cursor, s->from);

	if (r < 0)
		return r;
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		if (s->sample[instant.sample] < 0)
			continue;
		instant.weight_ns =
			instant_before(&instant, to_ns) - instant_before(&instant, from_ns);
		instant.time_ns = instant.time_ns < to_ns ? instant.time_ns : to_ns;
		instant.sample = (uint32_t)s->sample[instant.sample];
		r = timeline_add(s->into, &instant);
	}
	timeline_end(&cursor);
	return r;
}

int profile_copier_init(struct profile_copier *s, struct profile *into, const struct profile *from)
{
	*s = (struct profile_copier){.into = into, .from = from};
	s->mapping = unknown(from->mappings);
	s->function = unknown(from->functions);
	s->location = unknown(from->locations);
	s->task = unknown(from->tasks);
	s->sample = unknown(from->samples);
	return s->mapping && s->function && s->location && s->task && s->sample ? 0 : -ENOMEM;
}

void profile_copier_release(struct profile_copier *s)
{
	free(s->mapping);
	free(s->function);
	free(s->location);
	free(s->task);
	free(s->sample);
	free(s->line);
	free(s->stack);
}
