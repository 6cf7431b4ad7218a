/* SPDX-License-Identifier: MIT */
#include "proto/opening.h"

#include <errno.h>

#include "proto/bytes.h"

static const struct wire_field opening_fields[] = {WIRE(opening, sequence), WIRE(opening, kind),
	WIRE(opening, pid), WIRE(opening, plain_bytes), WIRE(opening, start), WIRE(opening, end),
	WIRE(opening, inode), WIRE(opening, major), WIRE(opening, minor), WIRE(opening, time), {0}};

/* The fields of an answer that follow its sequence and error. */
static const struct wire_field opened_fields[] = {WIRE(opened, flags), WIRE(opened, device),
	WIRE(opened, inode), WIRE(opened, bytes), WIRE(opened, mtime_ns), {0}};

static void put_text(struct writer *w, const char *text)
{
	size_t bytes = strnlen(text, OPENING_PATH_MOST);

	put_u16(w, (uint16_t)bytes);
	put_bytes(w, text, bytes);
}

static void get_text(struct reader *r, char to[OPENING_PATH_MOST + 1])
{
	size_t bytes = get_u16(r);
	const uint8_t *text = bytes <= OPENING_PATH_MOST ? get_bytes(r, bytes) : NULL;

	if (!text || r->p != r->end || memchr(text, '\0', bytes)) {
		r->bad = true;
		bytes = 0;
	}
	if (bytes)
		memcpy(to, text, bytes);
	to[bytes] = '\0';
}

size_t opening_put(uint8_t *to, const struct opening *o)
{
	struct writer w = writer_over(to, OPENING_BYTES_MOST);

	put_fields(&w, o, opening_fields);
	put_text(&w, o->path);
	return (size_t)(w.p - to);
}

int opening_get(const uint8_t *from, size_t bytes, struct opening *ret_opening)
{
	struct reader r = reader_over(from, bytes);
	struct opening *o = ret_opening;

	get_fields(&r, o, opening_fields);
	get_text(&r, o->path);
	if (r.bad || o->kind < OPENING_MAPPED || o->kind > OPENING_ABANDON || o->pid > INT32_MAX ||
		o->plain_bytes > strlen(o->path) || o->end < o->start)
		return -EPROTO;
	return 0;
}

size_t opened_put(uint8_t *to, const struct opened *o)
{
	struct writer w = writer_over(to, OPENING_BYTES_MOST);

	put_u32(&w, o->sequence);
	put_u32(&w, (uint32_t)-o->error);
	put_fields(&w, o, opened_fields);
	put_text(&w, o->text);
	return (size_t)(w.p - to);
}

int opened_get(const uint8_t *from, size_t bytes, struct opened *ret_opened)
{
	struct reader r = reader_over(from, bytes);
	struct opened *o = ret_opened;
	uint32_t error;

	o->sequence = get_u32(&r);
	error = get_u32(&r);
	get_fields(&r, o, opened_fields);
	get_text(&r, o->text);
	if (r.bad || error > 4095)
		return -EPROTO;
	o->error = -(int)error;
	return 0;
}
