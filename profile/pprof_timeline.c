/* SPDX-License-Identifier: MIT */
#include "profile/pprof_timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/gzip.h"
#include "profile/model.h"
#include "profile/timeline_code.h"

enum { WIRE_DELIMITED = 2, HEAD_BYTES = 1 + 10, FRAME_BYTES = 20 + HEAD_BYTES };

static int put_piece(
	const struct profile *profile, struct gzip_writer *gzip, const uint8_t *data, size_t bytes)
{
	uint8_t head[HEAD_BYTES] = {PPROF_TIMELINE_VERSION}, frame[FRAME_BYTES];
	size_t head_bytes = 1 + timeline_put_varint(head + 1, profile->samples), n;
	int r;

	n = timeline_put_varint(frame, PPROF_TIMELINE_FIELD << 3 | WIRE_DELIMITED);
	n += timeline_put_varint(frame + n, head_bytes + bytes);
	r = gzip_writer_append(gzip, frame, n);
	if (r >= 0)
		r = gzip_writer_append(gzip, head, head_bytes);
	return r < 0 ? r : gzip_writer_append(gzip, data, bytes);
}

static int put_open(const struct profile *profile, struct gzip_writer *gzip)
{
	const struct timeline_rows *rows = profile->timeline.open;
	uint8_t *data = malloc(TIMELINE_HEAD_BYTES + rows->n * TIMELINE_ROW_BYTES);
	int r = data ? put_piece(profile, gzip, data, timeline_encode(rows, data)) : -ENOMEM;

	free(data);
	return r;
}

int pprof_timeline_write(const struct profile *profile, struct gzip_writer *gzip)
{
	const struct timeline *timeline = &profile->timeline;
	int r = 0;

	for (size_t i = 0; i < timeline->pieces && r >= 0; i++)
		r = put_piece(profile, gzip, timeline->piece[i].data, timeline->piece[i].bytes);
	if (r >= 0 && timeline->open && timeline->open->n)
		r = put_open(profile, gzip);
	return r;
}

static int damaged(struct reading *r)
{
	return pprof_reading_bad(r, "its time line is damaged");
}

static int take_rows(struct reading *r, const struct timeline_rows *rows)
{
	int error = 0;

	for (size_t i = 0; i < rows->n && error >= 0; i++) {
		struct instant instant = rows->row[i];

		if (instant.sample >= r->samples)
			return damaged(r);
		instant.sample = r->sample[instant.sample];
		error = timeline_add(r->profile, &instant);
	}
	return error;
}

int pprof_timeline_read(struct reading *r, const struct field *field)
{
	struct byte_span span = {field->data, field->data + field->bytes};
	struct timeline_rows *rows;
	uint64_t samples;
	int error;

	if (!field->delimited || !field->bytes)
		return damaged(r);
	if (*span.p++ != PPROF_TIMELINE_VERSION) {
		timeline_leave_out(r->profile, "it is of a newer version of sprofil");
		return profile_add_note(r->profile,
			"its time line is of a newer version of sprofil, and is left out");
	}
	if (pprof_scan_varint(&span, &samples) <= 0)
		return damaged(r);
	if (samples != r->samples) {
		timeline_leave_out(r->profile, "another program has changed the samples");
		return profile_add_note(r->profile,
			"another program has changed the samples: the time line is left out");
	}
	rows = malloc(sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	error = timeline_decode(span.p, (size_t)(span.end - span.p), rows);
	error = error < 0 ? damaged(r) : take_rows(r, rows);
	free(rows);
	return error;
}
