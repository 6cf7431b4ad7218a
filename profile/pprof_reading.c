/* SPDX-License-Identifier: MIT */
#include "profile/pprof_reading.h"

#include <errno.h>

#include "profile/model.h"

int pprof_reading_bad(struct reading *r, const char *problem)
{
	r->problem = problem;
	return -EBADMSG;
}

int pprof_reading_unpack(struct reading *r, const struct field *field,
	const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **ret_message)
{
	scan_arena_reset(&r->arena);
	if (!field->delimited)
		return pprof_reading_bad(r, "a part of it is damaged");
	*ret_message = protobuf_c_message_unpack(
		descriptor, &r->arena.allocator, field->bytes, field->data);
	if (r->arena.no_memory)
		return -ENOMEM;
	return *ret_message ? 0 : pprof_reading_bad(r, "a part of it is damaged");
}

/*
 * A damaged file could refer to long strings very often. So the bytes of all strings, counted at
 * each reference to a string, may be at most USED_TIMES * (USED_BYTES + the file's bytes).
 */
enum { USED_TIMES = 64, USED_BYTES = 1 << 20 };

const char *pprof_reading_text(struct reading *r, int64_t index)
{
	if (index >= 0 && (uint64_t)index < r->strings) {
		struct byte_span span = {r->file.p + r->string[index], r->file.end};
		struct field field;

		(void)pprof_scan_field(&span, &field); /* It has been scanned before. */
		r->used_bytes += field.bytes;
		if (!field.bytes)
			return "";
		if (r->used_bytes / USED_TIMES <= USED_BYTES + (size_t)(r->file.end - r->file.p))
			return pool_intern(
				&r->profile->strings, (const char *)field.data, field.bytes);
		(void)pprof_reading_bad(r, "it refers to long strings too often");
		return NULL;
	}
	if (!index)
		return "";
	(void)pprof_reading_bad(r, "it refers to a string that it does not have");
	return NULL;
}
