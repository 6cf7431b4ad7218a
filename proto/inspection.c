/* SPDX-License-Identifier: MIT */
#include "proto/inspection.h"

#define FIELD(type, member) WIRE(inspection_##type, member)
#define TEXT(type, member)  WIRE_TEXT(inspection_##type, member, INSPECTION_TEXT_MOST)

static const struct layout {
	uint16_t kind;
	struct wire_field field[8];
} layouts[] = {
	{INSPECTION_OBJECT,
		{FIELD(object, skip), FIELD(object, start), FIELD(object, limit),
			FIELD(object, offset), TEXT(object, build_id), TEXT(object, path),
			FIELD(object, addresses)}},
	{INSPECTION_ADDRESS, {FIELD(address, code), FIELD(address, address)}},
	{INSPECTION_STATE,
		{FIELD(state, found), FIELD(state, named), FIELD(state, lined),
			TEXT(state, symbols), TEXT(state, lines), TEXT(state, problem),
			TEXT(state, language)}},
	{INSPECTION_INSTRUCTION,
		{FIELD(instruction, address), TEXT(instruction, text), FIELD(instruction, frames)}},
	{INSPECTION_FRAME, {TEXT(frame, function), TEXT(frame, file), FIELD(frame, line)}},
	{INSPECTION_PROBLEM, {TEXT(problem, problem)}},
	{INSPECTION_HISTOGRAM,
		{FIELD(histogram, skip), TEXT(histogram, program), FIELD(histogram, bytes)}},
	{INSPECTION_PROFILE, {FIELD(profile, bytes)}},
};

static const struct layout *layout_of(enum inspection_kind kind)
{
	const struct layout *layout = layouts;

	while (layout->kind != kind)
		layout++;
	return layout;
}

void inspection_put(struct writer *w, enum inspection_kind kind, const void *record)
{
	if (kind <= UINT8_MAX)
		put_u8(w, (uint8_t)kind);
	put_fields(w, record, layout_of(kind)->field);
}

static const uint8_t *get_data(struct reader *r, uint64_t *bytes)
{
	const uint8_t *data = get_bytes(r, *bytes);

	*bytes = data ? *bytes : 0;
	return data;
}

void inspection_get(struct reader *r, enum inspection_kind kind, void *ret_record)
{
	struct inspection_histogram *histogram = ret_record;
	struct inspection_profile *profile = ret_record;

	get_fields(r, ret_record, layout_of(kind)->field);
	if (kind == INSPECTION_HISTOGRAM)
		histogram->data = get_data(r, &histogram->bytes);
	else if (kind == INSPECTION_PROFILE)
		profile->data = get_data(r, &profile->bytes);
	else if (kind == INSPECTION_INSTRUCTION)
		r->bad |= ((struct inspection_instruction *)ret_record)->frames >
			INSPECTION_FRAMES_MOST;
}
