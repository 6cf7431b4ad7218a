/* SPDX-License-Identifier: MIT */
#include "profile/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model.h"

static bool set_equal(const void *items, uint32_t index, const void *key)
{
	const struct profile *profile = items;
	const struct label_set *a = &profile->label_set[index], *b = key;

	for (size_t i = 0; a->n == b->n && i < a->n; i++) {
		const struct label *x = &profile->label[a->first + i];
		const struct label *y = &profile->label[b->first + i];

		if (x->key != y->key || x->text != y->text || x->unit != y->unit ||
			x->number != y->number)
			return false;
	}
	return a->n == b->n;
}

static uint64_t set_hash(const struct profile *profile, const struct label_set *set)
{
	uint64_t hash = set->n;

	for (size_t i = 0; i < set->n; i++) {
		const struct label *label = &profile->label[set->first + i];

		hash = table_mix(table_mix(hash, (uintptr_t)label->key), (uintptr_t)label->text);
		hash = table_mix(table_mix(hash, (uintptr_t)label->unit), (uint64_t)label->number);
	}
	return hash;
}

static int append_label(struct profile *profile, const struct label *label)
{
	struct label stored = {.number = label->text ? 0 : label->number};

	stored.key = pool_intern_text(&profile->strings, label->key);
	if (label->text)
		stored.text = pool_intern_text(&profile->strings, label->text);
	stored.unit = pool_intern_text(&profile->strings, label->unit);
	if (!stored.key || !stored.unit || (label->text && !stored.text))
		return -ENOMEM;
	return array_add(&profile->label, &profile->label_room, &profile->labels, stored);
}

int labels_add(struct profile *profile, const struct label *label, size_t n)
{
	struct label_set set = {.first = profile->labels, .n = n};
	uint64_t hash;
	int r = 0, found;

	if (!n)
		return 0;
	for (size_t i = 0; i < n && r >= 0; i++)
		r = append_label(profile, &label[i]);
	if (r >= 0) {
		hash = set_hash(profile, &set);
		found = table_find(&profile->label_table, hash, set_equal, profile, &set);
		if (found >= 0) {
			profile->labels = set.first;
			return found + 1;
		}
		r = array_grow(
			&profile->label_set, &profile->label_set_room, profile->label_sets + 1);
		if (r >= 0)
			r = table_add(&profile->label_table, hash, (uint32_t)profile->label_sets);
	}
	if (r < 0) {
		profile->labels = set.first;
		return r;
	}
	profile->label_set[profile->label_sets++] = set;
	return (int)profile->label_sets;
}

size_t labels_count(const struct profile *profile, uint32_t set)
{
	return set ? profile->label_set[set - 1].n : 0;
}

struct label labels_at(const struct profile *profile, uint32_t set, size_t index)
{
	return profile->label[profile->label_set[set - 1].first + index];
}

int labels_copy(struct profile *into, const struct profile *from, uint32_t set)
{
	size_t n = labels_count(from, set);
	struct label *label;
	int r;

	if (!n)
		return 0;
	label = calloc(n, sizeof(*label));
	if (!label)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		label[i] = labels_at(from, set, i);
	r = labels_add(into, label, n);
	free(label);
	return r;
}

size_t labels_unmarked(const struct profile *profile, uint32_t set, const char *process)
{
	size_t bytes = strlen(process);

	for (size_t i = 0; i < labels_count(profile, set); i++) {
		struct label label = labels_at(profile, set, i);
		char mark[sizeof(LABEL_RANK_MARK) + 20];
		size_t n;

		if (label.text || strcmp(label.key, LABEL_RANK) != 0)
			continue;
		n = (size_t)snprintf(mark, sizeof(mark), LABEL_RANK_MARK "%" PRId64, label.number);
		if (n < bytes && !strcmp(process + bytes - n, mark))
			return bytes - n;
	}
	return bytes;
}
