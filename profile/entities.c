/* SPDX-License-Identifier: MIT */
/* Mappings, functions, tasks and locations, each stored once, found by a hash. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model.h"

static bool mapping_equal(const void *items, uint32_t index, const void *key)
{
	const struct mapping *a = (const struct mapping *)items + index, *b = key;

	return a->start == b->start && a->file == b->file && a->build_id == b->build_id;
}

int profile_add_mapping(struct profile *profile, const struct mapping *mapping)
{
	struct mapping item = *mapping, *old;
	uint64_t hash;
	int found;

	item.file = pool_intern_text(&profile->strings, mapping->file);
	item.build_id = pool_intern_text(&profile->strings, mapping->build_id);
	if (!item.file || !item.build_id)
		return -ENOMEM;
	hash = table_mix(table_mix((uintptr_t)item.file, (uintptr_t)item.build_id), item.start);
	found = table_intern(&profile->mapping_table, hash, mapping_equal, &profile->mapping,
		&profile->mapping_room, &profile->mappings, &item);
	if (found >= 0) {
		old = &profile->mapping[found];
		if (old->limit < item.limit)
			old->limit = item.limit;
		old->has_functions |= item.has_functions;
		old->has_lines |= item.has_lines;
		old->has_inlines |= item.has_inlines;
	}
	return found;
}

int profile_mapping_of(struct profile *profile, const char *file)
{
	for (size_t i = 0; i < profile->mappings; i++) {
		if (strcmp(profile->mapping[i].file, file) == 0)
			return (int)i;
	}
	return profile_add_mapping(profile, &(struct mapping){.file = file, .build_id = ""});
}

void profile_set_main(struct profile *profile, uint32_t mapping)
{
	profile->main = mapping;
}

uint32_t profile_main(const struct profile *profile)
{
	return profile->main;
}

static bool function_equal(const void *items, uint32_t index, const void *key)
{
	const struct function *a = (const struct function *)items + index, *b = key;

	return a->name == b->name && a->symbol == b->symbol && a->file == b->file &&
		a->line == b->line;
}

int profile_add_function(struct profile *profile, const struct function *function)
{
	struct function item = {.line = function->line};
	uint64_t hash;

	item.name = pool_intern_text(&profile->strings, function->name);
	item.symbol = pool_intern_text(&profile->strings, function->symbol);
	item.file = pool_intern_text(&profile->strings, function->file);
	if (!item.name || !item.symbol || !item.file)
		return -ENOMEM;
	if (!profile->unsampled && !strcmp(item.name, PROFILE_UNSAMPLED))
		profile->unsampled = item.name;
	hash = table_mix((uintptr_t)item.name, (uintptr_t)item.symbol);
	hash = table_mix(table_mix(hash, (uintptr_t)item.file), item.line);
	return table_intern(&profile->function_table, hash, function_equal, &profile->function,
		&profile->function_room, &profile->functions, &item);
}

static bool task_equal(const void *items, uint32_t index, const void *key)
{
	const struct task *a = &((const struct task_item *)items)[index].task;
	const struct task *b = &((const struct task_item *)key)->task;

	return a->pid == b->pid && a->tid == b->tid && a->process == b->process &&
		a->thread == b->thread;
}

static uint64_t task_hash(const struct task *task)
{
	return table_mix(table_mix((uint64_t)task->pid << 32 | task->tid, (uintptr_t)task->process),
		(uintptr_t)task->thread);
}

int profile_add_task(struct profile *profile, const struct task *task)
{
	struct task_item item = {.task = *task};

	item.task.process = pool_intern_text(&profile->strings, task->process);
	item.task.thread = pool_intern_text(&profile->strings, task->thread);
	if (!item.task.process || !item.task.thread)
		return -ENOMEM;
	return table_intern(&profile->task_table, task_hash(&item.task), task_equal, &profile->task,
		&profile->task_room, &profile->tasks, &item);
}

int profile_add_task_cpu(struct profile *profile, uint32_t task, uint64_t cpu_ns)
{
	struct task_item *item;

	if (task >= profile->tasks)
		return -EINVAL;
	item = &profile->task[task];
	if (__builtin_add_overflow(item->cpu_ns, cpu_ns, &item->cpu_ns))
		item->cpu_ns = UINT64_MAX;
	item->has_cpu_ns = true;
	return 0;
}

bool profile_task_cpu(const struct profile *profile, size_t task, uint64_t *ret_cpu_ns)
{
	*ret_cpu_ns = profile->task[task].cpu_ns;
	return profile->task[task].has_cpu_ns;
}

int profile_rename_process(
	struct profile *profile, uint32_t pid, const char *name, const char *new_name)
{
	const char *from = pool_intern_text(&profile->strings, name);
	const char *to = pool_intern_text(&profile->strings, new_name);

	if (!from || !to)
		return -ENOMEM;
	for (size_t i = 0; i < profile->tasks; i++) {
		struct task *task = &profile->task[i].task;

		if (task->pid != pid || task->process != from)
			continue;
		task->process = to;
		/*
		 * The entry under the hash of the old name stays in the table. It does no harm: a
		 * search compares the names, too.
		 */
		if (table_add(&profile->task_table, task_hash(task), (uint32_t)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

int profile_mark_processes(struct profile *profile, const char *mark)
{
	for (size_t i = 0; i < profile->tasks; i++) {
		struct task *task = &profile->task[i].task;
		const char *interned;
		char *marked;

		if (asprintf(&marked, "%s%s", task->process, mark) < 0)
			return -ENOMEM;
		interned = pool_intern_text(&profile->strings, marked);
		free(marked);
		if (!interned)
			return -ENOMEM;
		task->process = interned;
	}
	return 0;
}

/* The key of a location. The lines are borrowed; only the key of a named location has lines. */
struct named {
	uint32_t mapping;
	uint64_t address;
	const struct location_line *line;
	size_t lines;
};

static const struct location_line *lines_of(
	const struct profile *profile, const struct location_item *item)
{
	return item->lines ? profile->location_line + item->first : NULL;
}

static bool same_place(const struct location_item *item, const struct named *key)
{
	return item->address == key->address && item->mapping == key->mapping;
}

static bool location_equal(const void *items, uint32_t index, const void *key)
{
	return same_place(&((const struct profile *)items)->location[index], key);
}

static bool named_equal(const void *items, uint32_t index, const void *key)
{
	const struct profile *profile = items;
	const struct location_item *item = &profile->location[index];
	const struct named *wanted = key;
	const struct location_line *line;

	if (!same_place(item, wanted) || item->lines != wanted->lines)
		return false;
	line = lines_of(profile, item);
	for (size_t i = 0; i < wanted->lines; i++) {
		if (line[i].function != wanted->line[i].function ||
			line[i].line != wanted->line[i].line)
			return false;
	}
	return true;
}

static uint64_t location_hash(const struct named *key)
{
	return table_mix(table_mix(table_seed(), key->address), key->mapping);
}

static uint64_t named_hash(const struct named *key)
{
	uint64_t hash = location_hash(key);

	for (size_t i = 0; i < key->lines; i++)
		hash = table_mix(hash, (uint64_t)key->line[i].function << 32 | key->line[i].line);
	return hash;
}

/*
 * Sets the lines of @item: over its old ones if there is room, else at the end of location_line[].
 * 0; -ENOMEM; -EINVAL: too many lines, or a line's function does not exist.
 */
static int put_lines(struct profile *profile, struct location_item *item,
	const struct location_line *line, size_t lines)
{
	if (lines > UINT32_MAX)
		return -EINVAL;
	for (size_t i = 0; i < lines; i++) {
		if (line[i].function >= profile->functions)
			return -EINVAL;
	}
	if (lines > item->lines) {
		if (array_grow(&profile->location_line, &profile->location_line_room,
			    profile->location_lines + lines) < 0)
			return -ENOMEM;
		item->first = profile->location_lines;
		profile->location_lines += lines;
	}
	if (lines)
		memcpy(profile->location_line + item->first, line, lines * sizeof(*line));
	item->lines = (uint32_t)lines;
	return 0;
}

static int append_location(struct profile *profile, const struct named *key)
{
	if (profile->locations >= INT_MAX ||
		array_grow(&profile->location, &profile->location_room, profile->locations + 1) < 0)
		return -ENOMEM;
	profile->location[profile->locations] =
		(struct location_item){.mapping = key->mapping, .address = key->address};
	return (int)profile->locations++;
}

int profile_add_location(struct profile *profile, uint32_t mapping, uint64_t address)
{
	struct named key = {.mapping = mapping, .address = address};
	uint64_t hash = location_hash(&key);
	int index;

	if (mapping >= profile->mappings)
		return -EINVAL;
	index = table_find(&profile->location_table, hash, location_equal, profile, &key);
	if (index >= 0)
		return index;
	index = append_location(profile, &key);
	if (index < 0)
		return index;
	if (table_add(&profile->location_table, hash, (uint32_t)index) < 0) {
		profile->locations--;
		return -ENOMEM;
	}
	return index;
}

static int refill_named(struct profile *profile)
{
	table_clear(&profile->named_table);
	for (size_t i = 0; i < profile->locations; i++) {
		const struct location_item *item = &profile->location[i];
		struct named key = {
			item->mapping, item->address, lines_of(profile, item), item->lines};

		if (item->named &&
			table_add(&profile->named_table, named_hash(&key), (uint32_t)i) < 0)
			return -ENOMEM;
	}
	profile->named_is_stale = false;
	return 0;
}

static int append_named(struct profile *profile, const struct named *key, bool by_address)
{
	int index = append_location(profile, key), error;

	if (index < 0)
		return index;
	profile->location[index].named = true;
	error = put_lines(profile, &profile->location[index], key->line, key->lines);
	if (error >= 0)
		error = table_add(&profile->named_table, named_hash(key), (uint32_t)index);
	if (error < 0) {
		profile->locations--;
		return error;
	}
	if (by_address)
		error = table_add(&profile->location_table, location_hash(key), (uint32_t)index);
	return error < 0 ? error : index;
}

int profile_add_named_location(struct profile *profile, uint32_t mapping, uint64_t address,
	const struct location_line *line, size_t lines)
{
	struct named key = {mapping, address, line, lines};
	int same, index;

	if (mapping >= profile->mappings)
		return -EINVAL;
	if (profile->named_is_stale && refill_named(profile) < 0)
		return -ENOMEM;
	same = table_find(
		&profile->location_table, location_hash(&key), location_equal, profile, &key);
	if (same >= 0 && named_equal(profile, (uint32_t)same, &key))
		return same;
	index = table_find(&profile->named_table, named_hash(&key), named_equal, profile, &key);
	return index >= 0 ? index : append_named(profile, &key, same < 0 && address);
}

int profile_add_separate_location(struct profile *profile, uint32_t mapping, uint64_t address)
{
	if (mapping >= profile->mappings)
		return -EINVAL;
	return append_location(profile, &(struct named){.mapping = mapping, .address = address});
}

int profile_set_lines(
	struct profile *profile, uint32_t location, const struct location_line *line, size_t lines)
{
	struct mapping *mapping;
	int error;

	if (location >= profile->locations)
		return -EINVAL;
	profile->named_is_stale |= profile->location[location].named;
	error = put_lines(profile, &profile->location[location], line, lines);
	if (error < 0)
		return error;
	mapping = &profile->mapping[profile->location[location].mapping];
	mapping->has_functions |= lines > 0;
	mapping->has_inlines |= lines > 1;
	for (size_t i = 0; i < lines; i++)
		mapping->has_lines |= line[i].line > 0;
	return 0;
}

size_t profile_mappings(const struct profile *profile)
{
	return profile->mappings;
}

size_t profile_functions(const struct profile *profile)
{
	return profile->functions;
}

size_t profile_locations(const struct profile *profile)
{
	return profile->locations;
}

size_t profile_tasks(const struct profile *profile)
{
	return profile->tasks;
}

struct mapping profile_mapping(const struct profile *profile, size_t index)
{
	return profile->mapping[index];
}

struct function profile_function(const struct profile *profile, size_t index)
{
	return profile->function[index];
}

struct location profile_location(const struct profile *profile, size_t index)
{
	const struct location_item *item = &profile->location[index];

	return (struct location){
		.mapping = item->mapping,
		.address = item->address,
		.line = lines_of(profile, item),
		.lines = item->lines,
	};
}

struct task profile_task(const struct profile *profile, size_t index)
{
	return profile->task[index].task;
}
