/* SPDX-License-Identifier: MIT */
/* The code objects of a process, by address, and the locations of their lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_code.h"
#include "analyst/python/python_internal.h"
#include "base/array.h"
#include "profile/profile.h"

/* A process with more code objects loses the oldest. */
#define CODES_MOST ((size_t)2 * RUNTIME_OBJECTS_MOST)

static void release_code(struct python_code *code)
{
	free(code->lines);
	free(code->location);
}

static void forget_codes(struct python *python)
{
	for (size_t i = 0; i < python->codes; i++)
		release_code(&python->code[i]);
	python->codes = 0;
	table_clear(&python->by_address);
}

void python_free_codes(struct python *python)
{
	forget_codes(python);
	free(python->code);
	table_release(&python->by_address);
}

/*
 * Keeps only the last RUNTIME_OBJECTS_MOST code objects. The supervisor remembers at most that many
 * objects that it has sent. It sends any other object again when needed. (An object that has
 * changed is sent again, and counts twice here. So if a program changes very many objects, some are
 * lost.)
 */
static void forget_older(struct python *python)
{
	size_t kept = 0;

	table_clear(&python->by_address);
	for (size_t i = 0; i < python->codes; i++) {
		if (python->taken - python->code[i].number < RUNTIME_OBJECTS_MOST &&
			table_add(&python->by_address, python->code[i].address, (uint32_t)kept) ==
				0)
			python->code[kept++] = python->code[i];
		else
			release_code(&python->code[i]);
	}
	python->codes = kept;
}

static bool has_address(const void *codes, uint32_t index, const void *address)
{
	return ((const struct python_code *)codes)[index].address == *(const uint64_t *)address;
}

struct python_code *python_find_code(const struct python *python, uint64_t address)
{
	int at = table_find(&python->by_address, address, has_address, python->code, &address);

	return at < 0 ? NULL : &python->code[at];
}

/* Keeps @code in place of one at its address. -ENOMEM: the caller still owns @code. */
static int keep(struct python *python, struct python_code *code)
{
	struct python_code *old = python_find_code(python, code->address);

	code->number = ++python->taken;
	if (old) {
		release_code(old);
		*old = *code;
		return 0;
	}
	if (python->codes == CODES_MOST)
		forget_older(python);
	return table_intern(&python->by_address, code->address, has_address, &python->code,
		&python->room, &python->codes, code);
}

/*
 * Sets the function of @code, and code->internal. From 3.13 on, when a class is called, the
 * interpreter puts a frame of its own between the caller and __init__. The code of that frame is
 * internal. It has the name "__init__" in place of a file, and no first line. Python's tracebacks
 * omit it, too. -EPROTO: no valid name; -ENOMEM.
 */
static int add_function(
	const struct python *python, const struct record_object *object, struct python_code *code)
{
	int function;
	char file[PYTHON_TEXT_MOST + 1], name[PYTHON_TEXT_MOST + 1];

	if (!python_text(&python->layout, object->text[0], object->text_bytes[0], file))
		file[0] = '\0';
	if (!python_text(&python->layout, object->text[1], object->text_bytes[1], name))
		return -EPROTO;
	code->internal = !code->first_line && python->layout.version >= PYTHON_3_13 &&
		strcmp(file, "__init__") == 0 && strcmp(name, "__init__") == 0;
	function = profile_add_function(python->list->profile,
		&(struct function){.name = name,
			.symbol = name,
			.file = file,
			.line = code->first_line > 0 ? (uint32_t)code->first_line : 0});
	if (function >= 0)
		code->function = (uint32_t)function;
	return function;
}

int python_take_object(void *state, const struct record_object *object)
{
	struct python *python = state;
	const struct python_layout *l = &python->layout;
	struct python_code code = {.address = object->address};
	const uint8_t *lines = NULL;
	int r;

	if (object->bytes < l->code_first_line + sizeof(code.first_line))
		return 0;
	memcpy(&code.first_line, object->data + l->code_first_line, sizeof(code.first_line));
	r = add_function(python, object, &code);
	if (r < 0)
		return r == -ENOMEM ? -ENOMEM : 0;
	if (!python_bytes(l, object->text[2], object->text_bytes[2], &lines, &code.lines_bytes))
		code.lines_bytes = 0;
	code.lines = malloc(code.lines_bytes + 1);
	if (!code.lines)
		return -ENOMEM;
	if (code.lines_bytes)
		memcpy(code.lines, lines, code.lines_bytes);
	if (keep(python, &code) < 0) {
		free(code.lines);
		return -ENOMEM;
	}
	return 0;
}

/* Index of the first location whose line is not below @line. */
static size_t line_at(const struct python_code *code, uint32_t line)
{
	return array_bisect(i, 0, code->locations, code->location[i].line < line);
}

int python_location(struct python *python, struct python_code *code, int64_t offset)
{
	uint32_t line = python_line(
		python->layout.version, code->lines, code->lines_bytes, code->first_line, offset);
	size_t at = line_at(code, line);
	int location;

	if (at < code->locations && code->location[at].line == line)
		return (int)code->location[at].location;
	location = profile_add_named_location(python->list->profile, (uint32_t)python->mapping, 0,
		&(struct location_line){.function = code->function, .line = line}, 1);
	if (location < 0 ||
		array_grow(&code->location, &code->location_room, code->locations + 1) < 0)
		return -ENOMEM;
	memmove(code->location + at + 1, code->location + at,
		(code->locations - at) * sizeof(*code->location));
	code->location[at] = (struct python_line_location){line, (uint32_t)location};
	code->locations++;
	return location;
}
