/* SPDX-License-Identifier: MIT */
#include "proto/inspection.h"

static void put_text(struct writer *w, const char *text)
{
	size_t bytes = strnlen(text, INSPECTION_TEXT_MOST);

	put_u16(w, (uint16_t)bytes);
	put_bytes(w, text, bytes);
	put_u8(w, 0);
}

static const char *get_text(struct reader *r)
{
	size_t bytes = get_u16(r);
	const char *text = (const char *)get_bytes(r, bytes + 1);

	if (text && text[bytes] == '\0' && bytes <= INSPECTION_TEXT_MOST)
		return text;
	r->bad = true;
	r->p = r->end;
	return "";
}

/* 0 or 1: a bool must not hold any other value. */
static bool get_bool(struct reader *r)
{
	return get_u8(r) != 0;
}

void inspection_put_object(struct writer *w, const struct inspection_object *object)
{
	put_u8(w, INSPECTION_OBJECT);
	put_u8(w, object->skip);
	put_u64(w, object->start);
	put_u64(w, object->limit);
	put_u64(w, object->offset);
	put_text(w, object->build_id);
	put_text(w, object->path);
	put_u32(w, object->addresses);
}

struct inspection_object inspection_get_object(struct reader *r)
{
	struct inspection_object object = {.skip = get_u8(r)};

	object.start = get_u64(r);
	object.limit = get_u64(r);
	object.offset = get_u64(r);
	object.build_id = get_text(r);
	object.path = get_text(r);
	object.addresses = get_u32(r);
	return object;
}

void inspection_put_address(struct writer *w, const struct inspection_address *address)
{
	put_u8(w, address->code);
	put_u64(w, address->address);
}

struct inspection_address inspection_get_address(struct reader *r)
{
	struct inspection_address address = {.code = get_bool(r)};

	address.address = get_u64(r);
	return address;
}

void inspection_put_state(struct writer *w, const struct inspection_state *state)
{
	put_u8(w, INSPECTION_STATE);
	put_u8(w, state->found);
	put_u32(w, state->named);
	put_u32(w, state->lined);
	put_text(w, state->symbols);
	put_text(w, state->lines);
	put_text(w, state->problem);
	put_text(w, state->language);
}

struct inspection_state inspection_get_state(struct reader *r)
{
	struct inspection_state state = {.found = get_bool(r)};

	state.named = get_u32(r);
	state.lined = get_u32(r);
	state.symbols = get_text(r);
	state.lines = get_text(r);
	state.problem = get_text(r);
	state.language = get_text(r);
	return state;
}

void inspection_put_instruction(struct writer *w, const struct inspection_instruction *instruction)
{
	put_u8(w, INSPECTION_INSTRUCTION);
	put_u64(w, instruction->address);
	put_text(w, instruction->text);
	put_u8(w, instruction->frames);
}

struct inspection_instruction inspection_get_instruction(struct reader *r)
{
	struct inspection_instruction instruction = {.address = get_u64(r)};

	instruction.text = get_text(r);
	instruction.frames = get_u8(r);
	if (instruction.frames > INSPECTION_FRAMES_MOST)
		r->bad = true;
	return instruction;
}

void inspection_put_frame(struct writer *w, const struct inspection_frame *frame)
{
	put_text(w, frame->function);
	put_text(w, frame->file);
	put_u32(w, frame->line);
}

struct inspection_frame inspection_get_frame(struct reader *r)
{
	struct inspection_frame frame = {.function = get_text(r)};

	frame.file = get_text(r);
	frame.line = get_u32(r);
	return frame;
}

void inspection_put_problem(struct writer *w, const char *problem)
{
	put_u8(w, INSPECTION_PROBLEM);
	put_text(w, problem);
}

const char *inspection_get_problem(struct reader *r)
{
	return get_text(r);
}

void inspection_put_histogram(struct writer *w, const struct inspection_histogram *histogram)
{
	put_u8(w, INSPECTION_HISTOGRAM);
	put_u8(w, histogram->skip);
	put_text(w, histogram->program);
	put_u64(w, histogram->bytes);
}

static const uint8_t *get_data(struct reader *r, size_t *ret_bytes)
{
	uint64_t bytes = get_u64(r);
	const uint8_t *data = get_bytes(r, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);

	*ret_bytes = data ? (size_t)bytes : 0;
	return data;
}

struct inspection_histogram inspection_get_histogram(struct reader *r)
{
	struct inspection_histogram histogram = {.skip = get_u8(r)};

	histogram.program = get_text(r);
	histogram.data = get_data(r, &histogram.bytes);
	return histogram;
}

void inspection_put_profile(struct writer *w, size_t bytes)
{
	put_u8(w, INSPECTION_PROFILE);
	put_u64(w, bytes);
}

const uint8_t *inspection_get_profile(struct reader *r, size_t *ret_bytes)
{
	return get_data(r, ret_bytes);
}
