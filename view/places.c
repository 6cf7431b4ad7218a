/* SPDX-License-Identifier: MIT */
#include "view/places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/*
 * A mapping at a higher address has runtime addresses (from other programs), not those of the file:
 * no ELF file is linked to such an address.
 */
#define LOADED_AT (UINT64_C(1) << 40)

static bool place_equal(const void *items, uint32_t index, const void *key)
{
	const struct place *a = (const struct place *)items + index, *b = key;

	return a->function == b->function && a->file == b->file && a->object == b->object &&
		a->line == b->line;
}

static int add_place(struct places *places, const struct place *place)
{
	uint64_t hash = table_mix(table_mix((uintptr_t)place->function, (uintptr_t)place->file),
		table_mix((uintptr_t)place->object, place->line));

	return table_intern(&places->table, hash, place_equal, &places->place, &places->room,
		&places->n, place);
}

static uint64_t address_in_file(const struct mapping *mapping, uint64_t address)
{
	uint64_t bias = mapping->start - mapping->offset;

	return mapping->start >= LOADED_AT && address >= bias ? address - bias : address;
}

/*
 * The name of a location without a function: "[libfoo.so]", "[libfoo.so+0x1234]"; for a mapping
 * "[jit]": "[jit]", "[jit+0x1234]".
 */
static const char *name_unresolved(
	struct places *places, const struct mapping *mapping, uint64_t address, enum rows_by by)
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
	if (by == ROWS_BY_LINE)
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

static int append_line(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by, const struct location *location,
	const struct location_line *line)
{
	struct mapping mapping = profile_mapping(profile, location->mapping);
	struct place place = {.object = mapping.file, .file = ""};
	struct function function;

	if (line) {
		function = profile_function(profile, line->function);
		place.function = options->no_demangle ? function.symbol : function.name;
		place.unsampled = !strcmp(function.name, PROFILE_UNSAMPLED);
	}
	if (!line || !place.function[0]) {
		place.function = name_unresolved(places, &mapping, location->address, by);
		if (!place.function)
			return -ENOMEM;
	} else if (by == ROWS_BY_LINE) {
		place.file = function.file;
		place.line = line->line;
	}
	return append(places, &place);
}

static int append_location(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by, size_t index)
{
	struct location location = profile_location(profile, index);
	size_t first = options->no_inline && location.lines ? location.lines - 1 : 0;
	int error = 0;

	if (!location.lines)
		return append_line(places, profile, options, by, &location, NULL);
	for (size_t i = first; i < location.lines && !error; i++) {
		error = append_line(places, profile, options, by, &location, &location.line[i]);
	}
	return error;
}

int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by)
{
	size_t locations = profile_locations(profile);
	int error;

	*places = (struct places){.first = calloc(locations + 1, sizeof(*places->first))};
	error = places->first ? pool_init(&places->pool) : -ENOMEM;
	for (size_t i = 0; i < locations && error >= 0; i++) {
		error = append_location(places, profile, options, by, i);
		places->first[i + 1] = places->ofs;
	}
	if (error < 0)
		places_release(places);
	return error < 0 ? error : 0;
}

void places_release(struct places *places)
{
	table_release(&places->table);
	if (places->pool.item)
		pool_release(&places->pool);
	free(places->place);
	free(places->first);
	free(places->of);
	*places = (struct places){0};
}
