/* SPDX-License-Identifier: MIT */
#include "analyst/base/locations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/profile.h"

void locations_release(struct locations *locations)
{
	free(locations->code);
	free(locations->nameless);
	locations->code = NULL;
	locations->nameless = NULL;
	locations->codes = locations->code_room = locations->named = 0;
}

static int add_mapping(struct locations *locations, const struct code_location *code)
{
	struct module_info info;

	module_describe(code->module, code->svma, &info);
	return profile_add_mapping(locations->profile,
		&(struct mapping){
			.file = info.path,
			.build_id = info.build_id,
			.start = info.segment_svma,
			.limit = info.segment_svma + info.segment_bytes,
			.offset = info.segment_offset,
		});
}

int locations_add(struct locations *locations, const struct code_location *code)
{
	int mapping = add_mapping(locations, code), location;
	size_t index;

	if (mapping < 0)
		return mapping;
	location = profile_add_location(locations->profile, (uint32_t)mapping, code->svma);
	if (location < 0)
		return location;
	index = (size_t)location;
	if (array_grow(&locations->code, &locations->code_room, index + 1) < 0)
		return -ENOMEM;
	while (locations->codes <= index)
		locations->code[locations->codes++] = (struct code_location){0};
	locations->code[index] = *code;
	return location;
}

int locations_add_named(struct locations *locations, const char *object, const char *function)
{
	int mapping = profile_add_mapping(
		locations->profile, &(struct mapping){.file = object, .build_id = ""});
	int index = profile_add_function(locations->profile,
		&(struct function){.name = function, .symbol = function, .file = ""});

	if (mapping < 0 || index < 0)
		return -ENOMEM;
	return profile_add_named_location(locations->profile, (uint32_t)mapping, 0,
		&(struct location_line){.function = (uint32_t)index}, 1);
}

static int name(struct locations *locations, size_t index, const struct frame_chain *chain)
{
	struct location_line lines[64];
	size_t n = chain->n < 64 ? chain->n : 64;

	for (size_t i = 0; i < n; i++) {
		const struct frame *frame = &chain->frame[i];
		int function = profile_add_function(locations->profile,
			&(struct function){
				frame->function, frame->symbol, frame->file, frame->function_line});

		if (function < 0)
			return function;
		lines[i] = (struct location_line){(uint32_t)function, frame->line};
	}
	locations->nameless[index] = !n || chain->frame[0].unnamed;
	return n ? profile_set_lines(locations->profile, (uint32_t)index, lines, n) : 0;
}

int locations_name_new(struct locations *locations)
{
	size_t from = locations->named, room = locations->codes - from + 1, n = 0;
	struct frame_chain *chains;
	struct code_location *codes;
	bool *nameless;
	size_t *index;
	int r;

	if (from == locations->codes)
		return 0;
	chains = calloc(room, sizeof(*chains));
	codes = calloc(room, sizeof(*codes));
	index = calloc(room, sizeof(*index));
	nameless = reallocarray(locations->nameless, locations->codes, sizeof(*nameless));
	if (nameless)
		locations->nameless = nameless;
	r = chains && codes && index && nameless ? 0 : -ENOMEM;

	for (size_t i = from; r == 0 && i < locations->codes; i++) {
		nameless[i] = true;
		if (!locations->code[i].module)
			continue;
		index[n] = i;
		codes[n++] = locations->code[i];
	}
	if (r == 0)
		r = symbolizer_resolve(locations->symbolizer, codes, n, chains);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = name(locations, index[i], &chains[i]);
	if (r >= 0)
		locations->named = locations->codes;
	free(chains);
	free(codes);
	free(index);
	return r < 0 ? r : 0;
}

static int note_of(struct locations *locations, const char *path, const char *problem)
{
	char *note;
	int r;

	if (asprintf(&note, "%s: %s", path, problem) < 0)
		return -ENOMEM;
	r = profile_add_note(locations->profile, note);
	free(note);
	return r;
}

int locations_note_losses(struct locations *locations)
{
	const struct module *last = NULL;
	int r = 0;

	for (size_t i = 0; i < locations->codes && r >= 0; i++) {
		const struct code_location *code = &locations->code[i];
		struct module_info info;

		if (!code->module)
			continue;
		module_describe(code->module, code->svma, &info);
		if (code->module != last && module_has_changed(code->module))
			r = note_of(locations, info.path,
				"the file was written to while it was profiled; its names and "
				"stacks "
				"may be wrong or missing: replace a file by renaming a new one");
		last = code->module;
		if (r >= 0 && info.problem[0] &&
			(info.blamed ||
				(locations->nameless[i] && (info.deleted || info.unanswered))))
			r = note_of(locations, info.path, info.problem);
	}
	return r < 0 ? r : 0;
}

bool locations_is_nameless(const struct locations *locations, uint32_t index)
{
	/*
	 * The location of generated code has no module. It gets a line when the name of the code is
	 * known, so without a line it is nameless.
	 */
	if (index >= locations->named || !locations->code[index].module)
		return profile_location(locations->profile, index).lines == 0;
	return locations->nameless[index];
}
