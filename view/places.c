/* SPDX-License-Identifier: MIT */
#include "view/places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/*
 * A file is never linked at addresses as high as this. A mapping that starts higher is in the
 * profile of a program that records runtime addresses, not addresses in the file.
 */
#define LOADED_AT (UINT64_C(1) << 40)

static bool same_function(const void *items, uint32_t index, const void *key)
{
	const struct place *a = (const struct place *)items + index, *b = key;

	return a->function == b->function && a->object == b->object;
}

static bool same_line(const void *items, uint32_t index, const void *key)
{
	const struct place *a = (const struct place *)items + index, *b = key;

	return same_function(items, index, key) && a->file == b->file && a->line == b->line;
}

static int add_place(struct places *places, const struct place *place)
{
	bool by_line = places->by == ROWS_BY_LINE;
	uint64_t hash = table_mix((uintptr_t)place->function, (uintptr_t)place->object);

	if (by_line)
		hash = table_mix(hash, table_mix((uintptr_t)place->file, place->line));
	return table_intern(&places->table, hash, by_line ? same_line : same_function,
		&places->place, &places->room, &places->n, place);
}

static uint64_t address_in_file(const struct mapping *mapping, uint64_t address)
{
	uint64_t bias = mapping->start - mapping->offset;

	return mapping->start >= LOADED_AT && address >= bias ? address - bias : address;
}

/*
 * Returns the name of code without a function's name: "[libfoo.so]", or with_address
 * "[libfoo.so+0x1234]". In an object such as "[jit]" it is "[jit]", or "[jit+0x1234]".
 */
static const char *name_unresolved(
	struct places *places, const struct mapping *mapping, uint64_t address)
{
	const char *base = text_basename(mapping->file);
	int bytes, id;
	char *text;

	if (!base[0])
		base = "unknown";
	bytes = (int)strnlen(base, 4096);
	if (base[0] == '[' && base[bytes - 1] == ']') {
		base++;
		bytes -= 2;
	}
	if (places->with_address)
		id = asprintf(&text, "[%.*s+0x%" PRIx64 "]", bytes, base,
			address_in_file(mapping, address));
	else
		id = asprintf(&text, "[%.*s]", bytes, base);
	if (id < 0)
		return NULL;
	id = pool_add_text(&places->pool, text);
	free(text);
	return id < 0 ? NULL : pool_at(&places->pool, (uint32_t)id);
}

static int append(struct places *places, const struct place *place)
{
	int index = add_place(places, place);

	if (index < 0)
		return index;
	return array_add(&places->of, &places->of_room, &places->ofs, (uint32_t)index);
}

static int append_line(struct places *places, const struct profile *profile, uint32_t index,
	const struct location_line *line, const struct places *functions)
{
	struct location location = profile_location(profile, index);
	struct mapping mapping = profile_mapping(profile, location.mapping);
	struct place place = {.object = mapping.file, .file = "", .location = index};
	struct function function;

	if (line) {
		function = profile_function(profile, line->function);
		place.function = places->no_demangle ? function.symbol : function.name;
		place.unsampled = !strcmp(function.name, PROFILE_UNSAMPLED);
	}
	if (!line || !place.function[0]) {
		place.function = name_unresolved(places, &mapping, location.address);
		if (!place.function)
			return -ENOMEM;
	} else {
		place.file = function.file;
		place.line = places->by == ROWS_BY_LINE ? line->line : function.line;
	}
	/* @functions->of has the same frames in the same order. */
	place.function_place = functions ? functions->of[places->ofs] : 0;
	return append(places, &place);
}

static int append_location(struct places *places, const struct profile *profile, uint32_t index,
	const struct places *functions)
{
	struct location location = profile_location(profile, index);
	const char *object = profile_mapping(profile, location.mapping).file;
	struct place_location built = {.first = places->ofs,
		.lines = (uint32_t)location.lines,
		.is_call = object[0] == '[' && !strcmp(object, "[kernel]")};
	size_t first = places->no_inline && location.lines ? location.lines - 1 : 0;
	int error = location.lines ? 0 : append_line(places, profile, index, NULL, functions);

	for (size_t i = first; i < location.lines && !error; i++)
		error = append_line(places, profile, index, &location.line[i], functions);
	built.n = (uint32_t)(places->ofs - built.first);
	if (!error)
		places->location[index] = built;
	return error;
}

int places_update(
	struct places *places, const struct profile *profile, const struct places *functions)
{
	size_t n = profile_locations(profile);

	if (array_grow(&places->location, &places->location_room, n + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i < places->locations &&
			profile_location(profile, i).lines == places->location[i].lines)
			continue;
		places->renamed += i < places->locations;
		if (append_location(places, profile, (uint32_t)i, functions) < 0)
			return -ENOMEM;
		if (i >= places->locations)
			places->locations = i + 1;
	}
	return 0;
}

int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by)
{
	int error;

	*places = (struct places){.by = by,
		.with_address = options && by == ROWS_BY_LINE,
		.no_inline = options && options->no_inline,
		.no_demangle = options && options->no_demangle};
	error = pool_init(&places->pool);
	if (!error && profile)
		error = places_update(places, profile, NULL);
	if (error < 0)
		places_release(places);
	return error;
}

void places_release(struct places *places)
{
	table_release(&places->table);
	if (places->pool.item)
		pool_release(&places->pool);
	free(places->place);
	free(places->location);
	free(places->of);
	*places = (struct places){0};
}
