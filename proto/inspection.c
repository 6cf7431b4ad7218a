/* SPDX-License-Identifier: MIT */
#include "proto/inspection.h"

#define FIELD(type, member) WIRE(inspection_##type, member)
#define TEXT(type, member)  (offsetof(struct inspection_##type, member) + 1)

enum { TEXTS_MOST = 4 };

/* The layout of a record: integers, then texts, then further integers. */
static const struct layout {
	uint16_t kind;
	struct wire_field before[5];
	uint16_t text[TEXTS_MOST]; /* offset of the text's pointer in the structure, + 1; 0: none */
	struct wire_field behind[2];
} layouts[] = {
	{INSPECTION_OBJECT,
		{FIELD(object, skip), FIELD(object, start), FIELD(object, limit),
			FIELD(object, offset)},
		{TEXT(object, build_id), TEXT(object, path)}, {FIELD(object, addresses)}},
	{INSPECTION_ADDRESS, {FIELD(address, code), FIELD(address, address)}, {0}, {{0}}},
	{INSPECTION_STATE, {FIELD(state, found), FIELD(state, named), FIELD(state, lined)},
		{TEXT(state, symbols), TEXT(state, lines), TEXT(state, problem),
			TEXT(state, language)},
		{{0}}},
	{INSPECTION_INSTRUCTION, {FIELD(instruction, address)}, {TEXT(instruction, text)},
		{FIELD(instruction, frames)}},
	{INSPECTION_FRAME, {{0}}, {TEXT(frame, function), TEXT(frame, file)}, {FIELD(frame, line)}},
	{INSPECTION_PROBLEM, {{0}}, {TEXT(problem, problem)}, {{0}}},
	{INSPECTION_HISTOGRAM, {FIELD(histogram, skip)}, {TEXT(histogram, program)},
		{FIELD(histogram, bytes)}},
	{INSPECTION_PROFILE, {FIELD(profile, bytes)}, {0}, {{0}}},
};

static const struct layout *layout_of(enum inspection_kind kind)
{
	const struct layout *layout = layouts;

	while (layout->kind != kind)
		layout++;
	return layout;
}

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

void inspection_put(struct writer *w, enum inspection_kind kind, const void *record)
{
	const struct layout *layout = layout_of(kind);

	if (kind <= UINT8_MAX)
		put_u8(w, (uint8_t)kind);
	put_fields(w, record, layout->before);
	for (int i = 0; i < TEXTS_MOST && layout->text[i]; i++)
		put_text(w, *(const char *const *)((const char *)record + layout->text[i] - 1));
	put_fields(w, record, layout->behind);
}

static const uint8_t *get_data(struct reader *r, uint64_t *bytes)
{
	const uint8_t *data = get_bytes(r, *bytes);

	*bytes = data ? *bytes : 0;
	return data;
}

void inspection_get(struct reader *r, enum inspection_kind kind, void *ret_record)
{
	const struct layout *layout = layout_of(kind);
	struct inspection_histogram *histogram = ret_record;
	struct inspection_profile *profile = ret_record;

	get_fields(r, ret_record, layout->before);
	for (int i = 0; i < TEXTS_MOST && layout->text[i]; i++)
		*(const char **)((char *)ret_record + layout->text[i] - 1) = get_text(r);
	get_fields(r, ret_record, layout->behind);
	if (kind == INSPECTION_HISTOGRAM)
		histogram->data = get_data(r, &histogram->bytes);
	else if (kind == INSPECTION_PROFILE)
		profile->data = get_data(r, &profile->bytes);
	else if (kind == INSPECTION_INSTRUCTION)
		r->bad |= ((struct inspection_instruction *)ret_record)->frames >
			INSPECTION_FRAMES_MOST;
}
