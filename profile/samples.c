/* SPDX-License-Identifier: MIT */
/* Stacks and their values. Stacks are in a hash table. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "profile/model.h"

struct stack {
	const uint32_t *location;
	uint32_t n;
	uint32_t task;
	uint32_t labels;
};

static bool stack_equal(const void *items, uint32_t index, const void *key)
{
	const struct profile *profile = items;
	const struct sample_item *item = &profile->sample[index];
	const struct stack *stack = key;

	return item->task == stack->task && item->n == stack->n && item->labels == stack->labels &&
		(!stack->n ||
			!memcmp(profile->frame + item->first, stack->location,
				stack->n * sizeof(*stack->location)));
}

static uint64_t stack_hash(const struct stack *stack)
{
	uint64_t hash = table_mix(table_seed(), (uint64_t)stack->task << 32 | stack->n);
	uint32_t i = 0;

	hash = table_mix(hash, stack->labels);
	for (; i + 1 < stack->n; i += 2)
		hash = table_mix(hash, (uint64_t)stack->location[i] << 32 | stack->location[i + 1]);
	return i < stack->n ? table_mix(hash, stack->location[i]) : hash;
}

static int append_stack(struct profile *profile, const struct stack *stack)
{
	if (array_grow(&profile->sample, &profile->sample_room, profile->samples + 1) < 0 ||
		array_grow(&profile->frame, &profile->frame_room, profile->frames + stack->n) < 0 ||
		array_grow(&profile->value, &profile->value_room,
			(profile->samples + 1) * profile->value_types) < 0 ||
		table_add(&profile->sample_table, stack_hash(stack), (uint32_t)profile->samples) <
			0)
		return -ENOMEM;

	profile->sample[profile->samples] =
		(struct sample_item){profile->frames, stack->n, stack->task, stack->labels};
	if (stack->n)
		memcpy(profile->frame + profile->frames, stack->location,
			stack->n * sizeof(*profile->frame));
	profile->frames += stack->n;
	memset(profile->value + profile->samples * profile->value_types, 0,
		profile->value_types * sizeof(*profile->value));
	return (int)profile->samples++;
}

int profile_add_stack(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n)
{
	return profile_add_labelled_stack(profile, task, 0, locations, n);
}

int profile_add_labelled_stack(struct profile *profile, uint32_t task, uint32_t labels,
	const uint32_t *locations, size_t n)
{
	struct stack stack = {locations, (uint32_t)n, task, labels};
	int index;

	if (task >= profile->tasks || labels > profile->label_sets || n > UINT32_MAX / 2)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (locations[i] >= profile->locations)
			return -EINVAL;
	}
	index = table_find(
		&profile->sample_table, stack_hash(&stack), stack_equal, profile, &stack);
	return index < 0 ? append_stack(profile, &stack) : index;
}

int labels_give_all(struct profile *profile, uint32_t set)
{
	if (set > profile->label_sets)
		return -EINVAL;
	table_clear(&profile->sample_table);
	for (size_t i = 0; i < profile->samples; i++) {
		struct sample_item *item = &profile->sample[i];
		struct stack stack = {profile->frame + item->first, item->n, item->task,
			item->labels ? item->labels : set};

		item->labels = stack.labels;
		if (table_add(&profile->sample_table, stack_hash(&stack), (uint32_t)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

void profile_add_values(struct profile *profile, size_t index, const int64_t *values)
{
	sum_add_all(profile->value + index * profile->value_types, values, profile->value_types);
}

void profile_set_value(struct profile *profile, size_t index, size_t type, int64_t value)
{
	profile->value[index * profile->value_types + type] = value;
}

int profile_add_sample(struct profile *profile, uint32_t task, const uint32_t *locations, size_t n,
	const int64_t *values)
{
	int index = profile_add_stack(profile, task, locations, n);

	if (index < 0)
		return index;
	profile_add_values(profile, (size_t)index, values);
	return 0;
}

size_t profile_samples(const struct profile *profile)
{
	return profile->samples;
}

struct sample profile_sample(const struct profile *profile, size_t index)
{
	const struct sample_item *item = &profile->sample[index];

	return (struct sample){
		.task = item->task,
		.labels = item->labels,
		.location = item->n ? profile->frame + item->first : NULL,
		.n = item->n,
		.value = profile->value + index * profile->value_types,
	};
}

int profile_add_unsampled(struct profile *profile, uint32_t task, uint32_t mapping, int64_t cpu_ns)
{
	const int64_t values[VALUE_TYPES_MAX] = {[VALUE_CPU_NS] = cpu_ns};

	return profile_add_unsampled_values(profile, task, mapping, values);
}

int profile_add_unsampled_values(
	struct profile *profile, uint32_t task, uint32_t mapping, const int64_t *values)
{
	struct function function = {.name = PROFILE_UNSAMPLED, .symbol = PROFILE_UNSAMPLED};
	struct location_line line = {0};
	uint32_t leaf;
	int index = profile_add_function(profile, &function);

	if (index < 0)
		return index;
	line.function = (uint32_t)index;
	index = profile_add_named_location(profile, mapping, 0, &line, 1);
	if (index < 0)
		return index;
	leaf = (uint32_t)index;
	return profile_add_sample(profile, task, &leaf, 1, values);
}

bool profile_is_unsampled(const struct profile *profile, const struct sample *sample)
{
	struct location location;

	if (!sample->n)
		return false;
	location = profile_location(profile, sample->location[0]);
	return location.lines &&
		profile->function[location.line[0].function].name == profile->unsampled;
}
