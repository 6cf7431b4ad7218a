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

/* A long string is read once: its index is remembered with its id in the pool. */
static const char *read_string(struct reading *r, uint64_t index, const struct field *field)
{
	struct pool *pool = &r->profile->strings;
	bool is_long = field->bytes >= POOL_LONG_BYTES;
	int id = is_long ? ids_find(&r->longs, index) : -ENOENT;

	if (id >= 0)
		return pool_at(pool, (uint32_t)id);
	id = pool_add(pool, (const char *)field->data, field->bytes);
	if (id < 0 || (is_long && ids_add(&r->longs, index, (uint32_t)id) < 0))
		return NULL;
	return pool_at(pool, (uint32_t)id);
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
			return read_string(r, (uint64_t)index, &field);
		(void)pprof_reading_bad(r, "it refers to long strings too often");
		return NULL;
	}
	if (!index)
		return "";
	(void)pprof_reading_bad(r, "it refers to a string that it does not have");
	return NULL;
}
