/* SPDX-License-Identifier: MIT */
/* The input is a capture: records one after the other, in the format of docs/PROTOCOL.md. */
#include <stdlib.h>
#include <string.h>

#include "proto/bytes.h"
#include "proto/record.h"
#include "tests/fuzz/fuzz.h"

/* Reads all of a record's bytes: a bad bound is detected. */
static unsigned touch(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	unsigned sum = 0;

	for (size_t i = 0; i < bytes; i++)
		sum += p[i];
	return sum;
}

static unsigned touch_object(const struct record_object *object)
{
	unsigned sum = touch(object->data, object->bytes);

	for (int i = 0; i < RUNTIME_TEXTS; i++)
		sum += touch(object->text[i], object->text_bytes[i]);
	return sum;
}

static unsigned touch_record(const struct record *rec)
{
	switch (rec->header.type) {
	case RECORD_START: return touch(rec->as.start.command, rec->as.start.command_bytes);
	case RECORD_EXEC:
		return touch(rec->as.exec.path, strlen(rec->as.exec.path)) +
			touch(rec->as.exec.name, strlen(rec->as.exec.name));
	case RECORD_MAPS: return touch(rec->as.maps.text, rec->as.maps.bytes);
	case RECORD_THREAD: return touch(rec->as.thread.name, strlen(rec->as.thread.name));
	case RECORD_SAMPLE:
		return touch(rec->as.sample.stack, rec->as.sample.stack_bytes) +
			touch(rec->as.sample.outer, rec->as.sample.outer_bytes);
	case RECORD_RUNTIME:
		return touch(rec->as.runtime.frame,
			(size_t)rec->as.runtime.frames * RECORD_FRAME_WORDS * 8);
	case RECORD_OBJECT: return touch_object(&rec->as.object);
	case RECORD_MEMORY: return touch(rec->as.memory.data, rec->as.memory.bytes);
	case RECORD_UNSAMPLED: return touch(rec->as.unsampled.path, strlen(rec->as.unsampled.path));
	case RECORD_AUDIT:
	case RECORD_END: return touch(rec->as.audit.text, strlen(rec->as.audit.text));
	default: return 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	volatile unsigned sink = 0; /* keeps the compiler from omitting the reads */

	(void)sink;

	while (size >= RECORD_HEADER_BYTES) {
		struct reader r = reader_over(data, size);
		size_t bytes = get_u32(&r);
		struct record rec;
		uint8_t *copy;

		if (bytes < RECORD_HEADER_BYTES || bytes > size)
			bytes = size;
		/* An exact copy: the sanitizer sees a read one byte too far. */
		copy = malloc(bytes);
		if (!copy)
			return 0;
		memcpy(copy, data, bytes);
		if (record_get(copy, bytes, &rec) == 0)
			sink += touch_record(&rec);
		free(copy);
		data += bytes;
		size -= bytes;
	}
	return 0;
}
