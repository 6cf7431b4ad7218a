/* SPDX-License-Identifier: MIT */
#include "view/live/live_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

int live_places_init(struct live_places *places)
{
	*places = (struct live_places){0};
	return pool_init(&places->pool);
}

void live_places_release(struct live_places *places)
{
	table_release(&places->function_table);
	table_release(&places->line_table);
	if (places->pool.item)
		pool_release(&places->pool);
	free(places->function);
	free(places->line);
	free(places->location);
	free(places->frame);
	*places = (struct live_places){0};
}

static bool same_function(const void *items, uint32_t index, const void *key)
{
	const struct live_place *a = (const struct live_place *)items + index, *b = key;

	return a->function == b->function && a->object == b->object;
}

static bool same_line(const void *items, uint32_t index, const void *key)
{
	const struct live_place *a = (const struct live_place *)items + index, *b = key;

	return a->function_place == b->function_place && a->file == b->file && a->line == b->line;
}

static int add_function(struct live_places *places, const struct live_place *key)
{
	uint64_t hash = table_mix((uintptr_t)key->function, (uintptr_t)key->object);

	return table_intern(&places->function_table, hash, same_function, &places->function,
		&places->function_room, &places->functions, key);
}

static int add_line(struct live_places *places, const struct live_place *key)
{
	uint64_t hash = table_mix(table_mix(key->function_place, (uintptr_t)key->file), key->line);

	return table_intern(&places->line_table, hash, same_line, &places->line, &places->line_room,
		&places->lines, key);
}

/* The name "[libfoo.so]" for everything in an object that has no name, or none yet. */
static const char *name_of_object(struct live_places *places, const char *object)
{
	const char *base = text_basename(object);
	char text[256];
	int id;

	if (base[0] == '[')
		return object;
	(void)snprintf(text, sizeof(text), "[%s]", base[0] ? base : "unknown");
	id = pool_add_text(&places->pool, text);
	return id < 0 ? NULL : pool_at(&places->pool, (uint32_t)id);
}

static int append(struct live_places *places, struct live_place *place, uint32_t function_line)
{
	uint32_t line = place->line;
	int index;

	place->line = function_line;
	index = add_function(places, place);
	if (index < 0)
		return index;
	place->function_place = (uint32_t)index;
	place->line = line;
	index = add_line(places, place);
	if (index < 0)
		return index;
	return array_add(&places->frame, &places->frame_room, &places->frames,
		(struct live_frame){place->function_place, (uint32_t)index});
}

static int build(struct live_places *places, const struct profile *profile, uint32_t index)
{
	struct location location = profile_location(profile, index);
	struct live_place place = {
		.object = profile_mapping(profile, location.mapping).file, .location = index};
	struct live_location built = {.first = places->frames, .lines = (uint32_t)location.lines};
	int r = 0;

	if (!location.lines) {
		place.function = name_of_object(places, place.object);
		place.file = "";
		r = place.function ? append(places, &place, 0) : -ENOMEM;
	}
	for (size_t i = 0; i < location.lines && r == 0; i++) {
		struct function function = profile_function(profile, location.line[i].function);

		place.function = function.name;
		place.file = function.file;
		place.line = location.line[i].line;
		place.unsampled = !strcmp(function.name, PROFILE_UNSAMPLED);
		if (!function.name[0])
			place.function = name_of_object(places, place.object);
		r = place.function ? append(places, &place, function.line) : -ENOMEM;
	}
	built.frames = (uint32_t)(places->frames - built.first);
	built.is_call = place.object[0] == '[' && !strcmp(place.object, "[kernel]");
	if (r == 0)
		places->location[index] = built;
	return r;
}

int live_places_update(struct live_places *places, const struct profile *profile)
{
	size_t n = profile_locations(profile);

	if (array_grow(&places->location, &places->location_room, n + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i < places->locations &&
			profile_location(profile, i).lines == places->location[i].lines)
			continue;
		places->renamed += i < places->locations;
		if (build(places, profile, (uint32_t)i) < 0)
			return -ENOMEM;
		if (i >= places->locations)
			places->locations = i + 1;
	}
	return 0;
}
