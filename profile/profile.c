/* SPDX-License-Identifier: MIT */
#include "profile/profile.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "profile/model.h"

int profile_new(struct profile **ret_profile)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	int error;

	if (!profile)
		return -ENOMEM;
	profile->default_value = SIZE_MAX;
	error = pool_init(&profile->strings);
	if (error >= 0) {
		const char *none = pool_at(&profile->strings, 0);

		profile->foreign = (struct foreign){none, none, 0, none, none, none};
		error = profile_add_value_type(profile, "samples", "count");
	}
	if (error >= 0)
		error = profile_add_value_type(profile, "cpu", "nanoseconds");
	if (error < 0) {
		profile_free(profile);
		return error;
	}
	*ret_profile = profile;
	return 0;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	table_release(&profile->mapping_table);
	table_release(&profile->function_table);
	table_release(&profile->task_table);
	table_release(&profile->sample_table);
	table_release(&profile->note_table);
	table_release(&profile->label_table);
	table_release(&profile->location_table);
	table_release(&profile->named_table);
	free(profile->mapping);
	free(profile->function);
	free(profile->location);
	free(profile->location_line);
	free(profile->task);
	free(profile->sample);
	free(profile->frame);
	free(profile->value);
	free(profile->note);
	free(profile->label);
	free(profile->label_set);
	timeline_forget(profile);
	pool_release(&profile->strings);
	free(profile);
}

static int widen_values(struct profile *profile)
{
	size_t old = profile->value_types, wide = old + 1;

	if (!profile->samples)
		return 0;
	if (array_grow(&profile->value, &profile->value_room, profile->samples * wide) < 0)
		return -ENOMEM;
	/*
	 * Backwards: a sample's new place overlaps the old places of later samples, which are moved
	 * first.
	 */
	for (size_t i = profile->samples; i-- > 0;) {
		memmove(profile->value + i * wide, profile->value + i * old,
			old * sizeof(*profile->value));
		profile->value[i * wide + old] = 0;
	}
	return 0;
}

int profile_add_value_type(struct profile *profile, const char *type, const char *unit)
{
	struct value_type new;
	int error;

	new.type = pool_intern_text(&profile->strings, type);
	new.unit = pool_intern_text(&profile->strings, unit);
	if (!new.type || !new.unit)
		return -ENOMEM;
	for (size_t i = 0; i < profile->value_types; i++) {
		if (profile->value_type[i].type == new.type &&
			profile->value_type[i].unit == new.unit)
			return (int)i;
	}
	if (profile->value_types == VALUE_TYPES_MAX)
		return -ENOSPC;
	error = widen_values(profile);
	if (error < 0)
		return error;
	profile->value_type[profile->value_types] = new;
	return (int)profile->value_types++;
}

size_t profile_value_types(const struct profile *profile)
{
	return profile->value_types;
}

struct value_type profile_value_type(const struct profile *profile, size_t index)
{
	return profile->value_type[index];
}

size_t profile_find_value_type(const struct profile *profile, const char *type)
{
	size_t i = 0;

	while (i < profile->value_types && strcmp(profile_value_type(profile, i).type, type) != 0)
		i++;
	return i;
}

void profile_set_default_value(struct profile *profile, size_t index)
{
	profile->default_value = index;
}

size_t profile_default_value(const struct profile *profile)
{
	return profile->default_value < profile->value_types ? profile->default_value : SIZE_MAX;
}

static struct audit_item *find_audit(const struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->audits; i++) {
		if (!strcmp(pool_at(&profile->strings, profile->audit[i].key), key))
			return (struct audit_item *)&profile->audit[i];
	}
	return NULL;
}

int profile_set_audit(struct profile *profile, const char *key, uint64_t value)
{
	struct audit_item *item = find_audit(profile, key);
	int id;

	if (item) {
		item->value = value;
		return 0;
	}
	if (!key[0] || strpbrk(key, " \t\n"))
		return -EINVAL;
	if (profile->audits == PROFILE_AUDITS_MAX)
		return -ENOSPC;
	id = pool_add_text(&profile->strings, key);
	if (id < 0)
		return id;
	profile->audit[profile->audits++] = (struct audit_item){(uint32_t)id, value};
	return 0;
}

bool profile_audit(const struct profile *profile, const char *key, uint64_t *ret_value)
{
	const struct audit_item *item = find_audit(profile, key);

	if (!item)
		return false;
	*ret_value = item->value;
	return true;
}

size_t profile_audits(const struct profile *profile)
{
	return profile->audits;
}

void profile_audit_at(
	const struct profile *profile, size_t index, const char **ret_key, uint64_t *ret_value)
{
	*ret_key = pool_at(&profile->strings, profile->audit[index].key);
	*ret_value = profile->audit[index].value;
}

static bool note_equal(const void *items, uint32_t index, const void *key)
{
	return ((const uint32_t *)items)[index] == *(const uint32_t *)key;
}

/* A bit in a note's id: the note is a comment of another program. */
#define FOREIGN (UINT32_C(1) << 31)

static int add_note(struct profile *profile, const char *note, uint32_t mark)
{
	int id = pool_add_text(&profile->strings, note), index;
	uint32_t key = (uint32_t)id | mark;
	uint64_t hash = table_mix(0, key);

	if (id < 0)
		return id;
	index = table_intern(&profile->note_table, hash, note_equal, &profile->note,
		&profile->note_room, &profile->notes, &key);
	return index < 0 ? index : 0;
}

int profile_add_note(struct profile *profile, const char *note)
{
	return add_note(profile, note, 0);
}

int profile_add_comment(struct profile *profile, const char *comment)
{
	return add_note(profile, comment, FOREIGN);
}

bool profile_note_is_foreign(const struct profile *profile, size_t index)
{
	return profile->note[index] & FOREIGN;
}

int profile_copy_note(struct profile *into, const struct profile *from, size_t index)
{
	return add_note(into, profile_note(from, index), from->note[index] & FOREIGN);
}

size_t profile_notes(const struct profile *profile)
{
	return profile->notes;
}

const char *profile_note(const struct profile *profile, size_t index)
{
	return pool_at(&profile->strings, profile->note[index] & ~FOREIGN);
}

void profile_forget_remarks(struct profile *profile)
{
	table_clear(&profile->note_table);
	profile->notes = profile->audits = 0;
	profile->command = 0;
}

int profile_set_command(struct profile *profile, const char *command)
{
	int id = pool_add_text(&profile->strings, command);

	if (id < 0)
		return id;
	profile->command = (uint32_t)id;
	return 0;
}

const char *profile_command(const struct profile *profile)
{
	return pool_at(&profile->strings, profile->command);
}

void profile_set_time(struct profile *profile, uint64_t realtime_ns, uint64_t duration_ns)
{
	profile->realtime_ns = realtime_ns;
	profile->duration_ns = duration_ns;
}

void profile_set_period(struct profile *profile, uint64_t period_ns)
{
	profile->period_ns = period_ns;
}

uint64_t profile_realtime_ns(const struct profile *profile)
{
	return profile->realtime_ns;
}

uint64_t profile_duration_ns(const struct profile *profile)
{
	return profile->duration_ns;
}

uint64_t profile_period_ns(const struct profile *profile)
{
	return profile->period_ns;
}
