/* SPDX-License-Identifier: MIT */
/* The input is a capture: records one after the other, in the format of docs/PROTOCOL.md. */
#include <stdlib.h>
#include <string.h>

#include "proto/bytes.h"
#include "proto/record.h"
#include "tests/fuzz/fuzz.h"

/* A part for each type; RECORD_PAD has no contents. */
const unsigned fuzz_parts = RECORD_TYPES;

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
		if (record_get(copy, bytes, &rec) == 0) {
			sink += touch_record(&rec);
			if (rec.header.type < RECORD_TYPES)
				fuzz_accept(rec.header.type);
		}
		free(copy);
		data += bytes;
		size -= bytes;
	}
	return 0;
}

static int put_text(uint8_t *to, size_t room, enum record_type type)
{
	switch (type) {
	case RECORD_EXEC: return record_put_exec(to, room, 1, 2, "/bin/name", "name");
	case RECORD_THREAD: return record_put_thread(to, room, 1, 2, 3, "thread");
	case RECORD_UNSAMPLED:
		return record_put_unsampled(
			to, room, 1, &(struct record_unsampled){1, 2, 3, "/bin/name"});
	default: return record_put_audit(to, room, 1, type, 0, "stops 1\n");
	}
}

/* One record of each type. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	static const uint8_t data[RECORD_FRAME_WORDS * 8] = "some bytes";
	const size_t room = FUZZ_SEED_BYTES;
	uint8_t *to = ret_data;
	int r;

	switch (n) {
	case RECORD_PAD:
		r = record_put_process(to, room, 1, 0, 2, 3);
		to[4] = RECORD_PAD;
		break;
	case RECORD_START:
		r = record_put_start(
			to, room, 1, &(struct record_start){.command = "a\0b", .command_bytes = 4});
		break;
	case RECORD_PROCESS: r = record_put_process(to, room, 1, 0, 2, 3); break;
	case RECORD_MAPS:
		r = record_put_maps(to, room, 1, 0,
			&(struct record_maps){.text = (const char *)data, .bytes = 9});
		break;
	case RECORD_SAMPLE:
		r = record_put_sample(to, room, 1,
			&(struct record_sample){.flags = RECORD_SAMPLE_LEFT,
				.registers = 2,
				.stack = data,
				.stack_bytes = 5,
				.outer = data,
				.outer_bytes = 9});
		break;
	case RECORD_EXIT: r = record_put_exit(to, room, 1, &(struct record_exit){2, 0, 3}); break;
	case RECORD_CPU: r = record_put_cpu(to, room, 1, 0, &(struct record_cpu){2, 3, 4}); break;
	case RECORD_RUNTIME:
		r = record_put_runtime(
			to, room, 1, &(struct record_runtime){.frames = 1, .frame = data});
		break;
	case RECORD_OBJECT:
		r = record_put_object(to, room, 1,
			&(struct record_object){.bytes = 16,
				.text_bytes = {1, 9, 4},
				.data = data,
				.text = {data, data, data}});
		break;
	case RECORD_MEMORY:
		r = record_put_memory(to, room, 1,
			&(struct record_memory){.requested = 64, .bytes = 5, .data = data});
		break;
	default: r = n < RECORD_TYPES ? put_text(to, room, (enum record_type)n) : 0; break;
	}
	return (size_t)r;
}
