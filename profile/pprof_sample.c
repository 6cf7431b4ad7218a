/* SPDX-License-Identifier: MIT */
/*
 * There may be millions of samples. For speed, their numbers are read without unpacking the
 * message, and labels equal to those of the previous sample are not interpreted again.
 */
#include "profile/pprof_sample.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile.pb-c.h"

/* Field numbers of a sample. */
enum { LOCATION_ID = 1, VALUE = 2, LABEL = 3 };

struct parts {
	size_t locations; /* number of locations in r->stack */
	size_t numbers;
	int64_t value[VALUE_TYPES_MAX];
	struct byte_span labels; /* from the first label to the end of the last */
};

static int bad_part(struct reading *r)
{
	return pprof_reading_bad(r, "a part of it is damaged");
}

static int add_location(struct reading *r, struct parts *parts, uint64_t id)
{
	int location = ids_find(&r->locations, id);

	if (location < 0)
		return pprof_reading_bad(
			r, "a sample of it is at a location that it does not have");
	return array_add(&r->stack, &r->stack_room, &parts->locations, (uint32_t)location);
}

static int add_number(struct reading *r, struct parts *parts, uint64_t number)
{
	if (parts->numbers < r->columns && r->column[parts->numbers].value >= 0)
		parts->value[r->column[parts->numbers].value] =
			pprof_types_times((int64_t)number, r->column[parts->numbers].factor);
	parts->numbers++;
	return 0;
}

/* Takes one number, or a packed array of numbers. */
static inline int take_numbers(struct reading *r, struct parts *parts, const struct field *field,
	int (*add)(struct reading *r, struct parts *parts, uint64_t number))
{
	struct byte_span span;
	uint64_t number;
	int result, error;

	if (!field->delimited)
		return field->data ? bad_part(r) : add(r, parts, field->value);
	span = (struct byte_span){field->data, field->data + field->bytes};
	while ((result = pprof_scan_varint(&span, &number)) > 0) {
		error = add(r, parts, number);
		if (error < 0)
			return error;
	}
	return result < 0 ? bad_part(r) : 0;
}

static int take_parts(struct reading *r, const struct field *sample, struct parts *parts)
{
	struct byte_span span = {sample->data, sample->data + sample->bytes};
	const uint8_t *begin = span.p;
	struct field field;
	int result, error = 0;

	while ((result = pprof_scan_field(&span, &field)) > 0 && error >= 0) {
		if (field.number == LOCATION_ID)
			error = take_numbers(r, parts, &field, add_location);
		else if (field.number == VALUE)
			error = take_numbers(r, parts, &field, add_number);
		else if (field.number == LABEL)
			parts->labels = (struct byte_span){
				parts->labels.p ? parts->labels.p : begin, span.p};
		begin = span.p;
	}
	if (error < 0)
		return error;
	return result < 0 ? bad_part(r) : 0;
}

static int take_label(struct reading *r, const struct field *field, struct task *task)
{
	Perftools__Profiles__Label *label;
	const char *key, *text, *unit;
	int error = pprof_reading_unpack(
		r, field, &perftools__profiles__label__descriptor, (ProtobufCMessage **)&label);

	if (error < 0)
		return error;
	key = pprof_reading_text(r, label->key);
	text = pprof_reading_text(r, label->str);
	unit = pprof_reading_text(r, label->num_unit);
	if (!key || !text || !unit)
		return -EBADMSG;
	text = label->str ? text : NULL;
	if (pprof_types_label(task, key, text, label->num))
		return 0;
	return array_add(
		&r->label, &r->label_room, &r->labels, (struct label){key, text, label->num, unit});
}

static bool are_same(const struct byte_span *a, const struct byte_span *b)
{
	return a->end - a->p == b->end - b->p &&
		(a->p == a->end || !memcmp(a->p, b->p, (size_t)(a->end - a->p)));
}

/* Sets last_task and last_set. Consecutive samples mostly have the same bytes of labels. */
static int take_labels(struct reading *r, const struct byte_span *labels)
{
	struct task task = {.process = "", .thread = ""};
	struct byte_span span = *labels;
	struct field field;
	int index, set;

	if (r->last_task >= 0 && are_same(labels, &r->last_labels))
		return 0;
	r->labels = 0;
	while (pprof_scan_field(&span, &field) > 0) {
		int error = field.number == LABEL ? take_label(r, &field, &task) : 0;

		if (error < 0)
			return error;
	}
	index = profile_add_task(r->profile, &task);
	set = index < 0 ? index : labels_add(r->profile, r->label, r->labels);
	if (set < 0)
		return set;
	r->last_task = index;
	r->last_set = (uint32_t)set;
	r->last_labels = *labels;
	return 0;
}

/*
 * Adds values to the stack at @index, the result of profile_add_labelled_stack(). If @index is an
 * -errno, returns it.
 */
static int keep_sample(struct reading *r, int index, const int64_t *values)
{
	if (array_grow(&r->sample, &r->sample_room, r->samples + 1) < 0)
		return -ENOMEM;
	if (index < 0)
		return index;
	profile_add_values(r->profile, (size_t)index, values);
	r->sample[r->samples++] = (uint32_t)index;
	return 0;
}

int pprof_sample_read(struct reading *r, const struct field *field)
{
	struct parts parts = {0};
	int error = field->delimited ? take_parts(r, field, &parts) : bad_part(r);

	if (error < 0)
		return error;
	if (parts.numbers != r->columns)
		return pprof_reading_bad(
			r, "a sample of it has another number of values than it says");
	if (r->cpu_of_sample)
		parts.value[VALUE_CPU_NS] =
			pprof_types_times(parts.value[VALUE_SAMPLES], r->cpu_of_sample);
	error = take_labels(r, &parts.labels);
	if (error < 0)
		return error;
	return keep_sample(r,
		profile_add_labelled_stack(
			r->profile, (uint32_t)r->last_task, r->last_set, r->stack, parts.locations),
		parts.value);
}
