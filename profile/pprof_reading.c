/* SPDX-License-Identifier: MIT */
#include "profile/pprof_reading.h"

#include <errno.h>

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

const char *pprof_reading_text(struct reading *r, int64_t index)
{
	if (index >= 0 && (uint64_t)index < r->strings)
		return r->string[index];
	if (!index)
		return "";
	(void)pprof_reading_bad(r, "it refers to a string that it does not have");
	return NULL;
}
