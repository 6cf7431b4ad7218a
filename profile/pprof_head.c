/* SPDX-License-Identifier: MIT */
#include "profile/pprof_head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/foreign.h"
#include "profile/pprof_labels.h"
#include "profile/profile.pb-c.h"

static bool is_taken(const struct reading *r, int value)
{
	for (size_t i = 0; i < r->columns; i++) {
		if (r->column[i].value == value)
			return true;
	}
	return false;
}

static int read_type(
	struct reading *r, const struct field *field, const char **ret_type, const char **ret_unit)
{
	Perftools__Profiles__ValueType *message;
	int error = pprof_reading_unpack(r, field, &perftools__profiles__value_type__descriptor,
		(ProtobufCMessage **)&message);

	if (error < 0)
		return error;
	*ret_type = pprof_reading_text(r, message->type);
	*ret_unit = pprof_reading_text(r, message->unit);
	return *ret_type && *ret_unit ? 0 : -EBADMSG;
}

int pprof_head_value_type(struct reading *r, const struct field *field)
{
	struct pprof_column column;
	const char *type, *unit;
	size_t room = r->columns;
	int error = read_type(r, field, &type, &unit);

	if (error < 0)
		return error;
	if (r->columns >= 64)
		return pprof_reading_bad(r, "it has more than 64 kinds of values");
	error = pprof_types_column(r->profile, type, unit, &column);
	if (error == -ENOSPC) {
		column = (struct pprof_column){-1, 0};
		error = profile_add_note(r->profile,
			"values of some kinds are left out: there are "
			"more than this program keeps");
	}
	if (error < 0)
		return error;
	if (is_taken(r, column.value))
		column.value = -1;
	if (array_grow(&r->column, &room, r->columns + 1) < 0)
		return -ENOMEM;
	r->column[r->columns++] = column;
	r->has_samples |= column.value == VALUE_SAMPLES;
	r->has_cpu |= column.value == VALUE_CPU_NS;
	return 0;
}

int pprof_head_period(struct reading *r, const struct field *field)
{
	r->period = field->delimited ? 0 : (int64_t)field->value;
	return 0;
}

static int keep_period(struct reading *r, const char *type, const char *unit)
{
	struct foreign foreign = foreign_get(r->profile);

	foreign.period_type = type;
	foreign.period_unit = unit;
	foreign.period = r->period;
	return foreign_set(r->profile, &foreign);
}

int pprof_head_period_type(struct reading *r, const struct field *field)
{
	const char *type, *unit;
	int64_t period_ns;
	int error = read_type(r, field, &type, &unit);

	if (error < 0)
		return error;
	period_ns = pprof_types_times(r->period, pprof_types_ns(unit));
	if (strcmp(type, "cpu") != 0 || period_ns <= 0)
		return keep_period(r, type, unit);
	profile_set_period(r->profile, (uint64_t)period_ns);
	if (r->has_samples && !r->has_cpu)
		r->cpu_of_sample = period_ns;
	return 0;
}

static uint64_t time_of(const struct field *field)
{
	int64_t value = field->delimited ? 0 : (int64_t)field->value;

	return value > 0 ? (uint64_t)value : 0;
}

int pprof_head_time_nanos(struct reading *r, const struct field *field)
{
	profile_set_time(r->profile, time_of(field), profile_duration_ns(r->profile));
	return 0;
}

int pprof_head_duration_nanos(struct reading *r, const struct field *field)
{
	profile_set_time(r->profile, profile_realtime_ns(r->profile), time_of(field));
	return 0;
}

static const char *text_of(struct reading *r, const struct field *field)
{
	return pprof_reading_text(r, field->delimited ? 0 : (int64_t)field->value);
}

int pprof_head_default_type(struct reading *r, const struct field *field)
{
	const char *type = text_of(r, field);
	size_t index;

	if (!type)
		return -EBADMSG;
	index = profile_find_value_type(r->profile, type);
	if (index < profile_value_types(r->profile))
		profile_set_default_value(r->profile, index);
	return 0;
}

int pprof_head_drop_frames(struct reading *r, const struct field *field)
{
	struct foreign foreign = foreign_get(r->profile);

	foreign.drop_frames = text_of(r, field);
	return foreign.drop_frames ? foreign_set(r->profile, &foreign) : -EBADMSG;
}

int pprof_head_keep_frames(struct reading *r, const struct field *field)
{
	struct foreign foreign = foreign_get(r->profile);

	foreign.keep_frames = text_of(r, field);
	return foreign.keep_frames ? foreign_set(r->profile, &foreign) : -EBADMSG;
}

int pprof_head_doc_url(struct reading *r, const struct field *field)
{
	struct foreign foreign = foreign_get(r->profile);

	foreign.doc_url = text_of(r, field);
	return foreign.doc_url ? foreign_set(r->profile, &foreign) : -EBADMSG;
}

/* Reads "stops 2500". False: @text has another form; otherwise *@ret_error is 0 or -errno. */
static bool read_audit(struct reading *r, const char *text, int *ret_error)
{
	const char *space = strchr(text, ' ');
	char *end, *key;
	uint64_t value;

	if (!space || space == text || space[1] < '0' || space[1] > '9')
		return false;
	errno = 0;
	value = strtoull(space + 1, &end, 10);
	if (errno || *end)
		return false;
	key = strndup(text, (size_t)(space - text));
	*ret_error = key ? profile_set_audit(r->profile, key, value) : -ENOMEM;
	free(key);
	if (*ret_error == -ENOSPC)
		*ret_error = pprof_reading_bad(r, "it has too many audit figures");
	return true;
}

static const char *after(const char *text, const char *prefix)
{
	size_t bytes = strlen(prefix);

	return strncmp(text, prefix, bytes) ? NULL : text + bytes;
}

/*
 * A comment of another program becomes a note. So does sprofil's summary of the audit figures in a
 * file that lacks the figures: another program has rewritten that file, and left only the summary.
 */
static int take_comment(struct reading *r, int64_t index)
{
	const char *text = pprof_reading_text(r, index), *rest;
	int error;

	if (!text)
		return -EBADMSG;
	rest = after(text, PPROF_COMMENT_COMMAND);
	if (rest)
		return profile_set_command(r->profile, rest);
	rest = after(text, PPROF_COMMENT_NOTE);
	if (rest)
		return profile_add_note(r->profile, rest);
	rest = after(text, PPROF_COMMENT_SUMMARY);
	if (rest && r->has_remarks)
		return 0;
	rest = after(text, PPROF_COMMENT_AUDIT);
	if (rest && read_audit(r, rest, &error))
		return error;
	return text[0] ? profile_add_comment(r->profile, text) : 0;
}

int pprof_head_comment(struct reading *r, const struct field *field)
{
	struct byte_span span;
	uint64_t index;
	int result;

	if (!field->delimited)
		return take_comment(r, (int64_t)field->value);
	span = (struct byte_span){field->data, field->data + field->bytes};
	while ((result = pprof_scan_varint(&span, &index)) > 0) {
		result = take_comment(r, (int64_t)index);
		if (result < 0)
			return result;
	}
	return result < 0 ? pprof_reading_bad(r, "a comment of it is damaged") : 0;
}

int pprof_head_remark(struct reading *r, const struct field *field)
{
	r->has_remarks = true;
	return pprof_head_comment(r, field);
}
