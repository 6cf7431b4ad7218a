/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect_answer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/pprof.h"
#include "profile/profile.h"
#include "proto/inspection.h"
#include "view/code.h"

struct taking {
	struct reader reader;
	struct code_object answer;
	size_t instruction_room, frame_room;
	bool ended;
};

void inspect_answer_init(struct code_object *object)
{
	object->symbols = object->lines = object->problem = object->code_problem = "";
	object->language = "";
}

static void take_state(struct taking *t)
{
	struct inspection_state state;

	inspection_get(&t->reader, INSPECTION_STATE, &state);
	t->answer.found = state.found;
	t->answer.named = state.named;
	t->answer.lined = state.lined;
	t->answer.symbols = state.symbols;
	t->answer.lines = state.lines;
	t->answer.problem = state.problem;
	t->answer.language = state.language;
}

static int take_instruction(struct taking *t)
{
	struct code_object *answer = &t->answer;
	struct inspection_instruction from;
	struct code_instruction *more;

	inspection_get(&t->reader, INSPECTION_INSTRUCTION, &from);
	if (array_grow(&answer->instruction, &t->instruction_room, answer->instructions_n + 1) <
			0 ||
		array_grow(&answer->frame, &t->frame_room, answer->frames + from.frames + 1) < 0)
		return -ENOMEM;
	more = &answer->instruction[answer->instructions_n++];
	*more = (struct code_instruction){
		.address = from.address, .text = from.text, .first = answer->frames};
	for (unsigned i = 0; i < from.frames && !t->reader.bad; i++) {
		struct inspection_frame one;

		inspection_get(&t->reader, INSPECTION_FRAME, &one);
		answer->frame[answer->frames++] =
			(struct code_frame){one.function, one.file, one.line};
		more->frames++;
	}
	/* Binary search needs ascending instructions. */
	if (answer->instructions_n > 1 && more[-1].address >= more->address)
		t->reader.bad = true;
	return 0;
}

static int take_one(struct taking *t)
{
	struct inspection_problem problem;

	switch (get_u8(&t->reader)) {
	case INSPECTION_STATE: take_state(t); return 0;
	case INSPECTION_INSTRUCTION: return take_instruction(t);
	case INSPECTION_PROBLEM:
		inspection_get(&t->reader, INSPECTION_PROBLEM, &problem);
		t->answer.code_problem = problem.problem;
		return 0;
	case INSPECTION_END: t->ended = true; return 0;
	default: t->reader.bad = true; return 0;
	}
}

/*
 * Parses the first answer in @data. The strings of *@ret_answer are in @data. *@ret_bytes: the
 * answer's length.
 */
static int parse(
	const uint8_t *data, size_t bytes, struct code_object *ret_answer, size_t *ret_bytes)
{
	struct taking t = {.reader = reader_over(data, bytes)};
	int r = 0;

	inspect_answer_init(&t.answer);
	while (r == 0 && !t.ended && !t.reader.bad)
		r = take_one(&t);
	if (r == 0 && t.reader.bad)
		r = -EPROTO;
	if (r < 0) {
		code_forget(&t.answer);
		return r;
	}
	*ret_answer = t.answer;
	*ret_bytes = (size_t)(t.reader.p - data);
	return 0;
}

long inspect_answer_take(const uint8_t *data, size_t bytes, struct code_object *object)
{
	struct code_object answer;
	size_t used;
	char *copy;
	int r = parse(data, bytes, &answer, &used);

	if (r < 0)
		return r;
	code_forget(&answer);
	copy = malloc(used);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, used);
	r = parse((const uint8_t *)copy, used, &answer, &used);
	if (r < 0) {
		free(copy);
		return r;
	}
	answer.owned = copy;
	answer.mapping = object->mapping;
	answer.address = object->address;
	answer.addresses = object->addresses;
	answer.instructions = object->instructions;
	*object = answer;
	return (long)used;
}

int inspect_answer_profile(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_why)
{
	struct reader r = reader_over(data, bytes);
	struct inspection_profile profile = {0};
	struct inspection_problem why = {NULL};
	uint8_t kind = get_u8(&r);
	int error;

	if (kind == INSPECTION_PROFILE)
		inspection_get(&r, INSPECTION_PROFILE, &profile);
	else if (kind == INSPECTION_PROBLEM)
		inspection_get(&r, INSPECTION_PROBLEM, &why);
	if ((!profile.data && !why.problem) || get_u8(&r) != INSPECTION_END || r.bad)
		return -EPROTO;
	if (why.problem) {
		*ret_why = why.problem;
		return -EINVAL;
	}
	error = pprof_read(profile.data, profile.bytes, ret_profile, NULL);
	return error < 0 && error != -ENOMEM ? -EPROTO : error;
}
