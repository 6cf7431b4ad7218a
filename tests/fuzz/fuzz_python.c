/* SPDX-License-Identifier: MIT */
/*
 * Objects and frames of a hostile CPython. Byte 0: the version, from 3.8 on; byte 1: the number of
 * native frames; 2 bytes for the stack pointer of each. The rest is at once code objects and texts,
 * the frames of a record, and the stack.
 */
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_code.h"
#include "analyst/python/python_internal.h"
#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"

enum { OBJECTS = 4, OBJECT_BYTES = 208, CODE = 0x10000, STACK = 0x7000, NATIVE_MOST = 16 };

/* An exact copy: the sanitizer sees a read too far. */
static uint8_t *copy_of(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes ? bytes : 1);

	if (copy && bytes)
		memcpy(copy, data, bytes);
	return copy;
}

static void take_objects(struct python *python, const uint8_t *data, size_t size)
{
	for (uint64_t i = 0; i < OBJECTS && size >= OBJECT_BYTES; i++) {
		struct record_object object = {
			.address = CODE + i * 0x100, .bytes = OBJECT_BYTES, .data = data};

		for (int k = 0; k < RUNTIME_TEXTS; k++) {
			object.text[k] = data + k;
			object.text_bytes[k] = (uint32_t)(size - (size_t)k);
		}
		(void)python_runtime.object(python, &object);
		data += OBJECT_BYTES;
		size -= OBJECT_BYTES;
	}
}

static void try_texts(const struct python_layout *layout, const uint8_t *data, size_t size)
{
	char text[PYTHON_TEXT_MOST + 1];
	struct python_layout described;
	const uint8_t *bytes;
	size_t n;

	(void)python_text(layout, data, size, text);
	if (python_bytes(layout, data, size, &bytes, &n))
		(void)python_line(layout->version, bytes, n, 1, 64);
	for (int64_t offset = -2; offset < 1000; offset += 99)
		(void)python_line(layout->version, data, size, 7, offset);
	for (uint16_t version = PYTHON_3_13; version <= PYTHON_3_14; version++)
		if (python_layout_describe(data, size, version, &described) == 0) {
			struct runtime_table table, out;
			struct runtime_incoming incoming = {0};
			uint8_t requests[RUNTIME_REQUEST_BYTES];
			struct request request;
			int r = 0;

			/* The supervisor must accept each layout accepted here. */
			python_layout_table(&described, 0x1000, &table);
			runtime_table_put(requests, &table);
			for (int i = 0; i < RUNTIME_REQUESTS; i++)
				if (request_get(requests + i * REQUEST_BYTES, &request) == 0)
					r = runtime_table_take(&incoming, &request, &out);
			if (r != 1)
				__builtin_trap();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_frame native[NATIVE_MOST] = {0};
	struct locations list = {0};
	/* This module contains no frame. */
	struct python python = {.gil = STACK, .gil_bytes = 64, .module = (void *)&list};
	struct record_runtime record = {0};
	struct runtime_sample sample = {.record = &record, .frame = native};
	struct runtime_stack stack = {0};
	uint8_t *copy;
	size_t head;

	if (size < 2 || profile_new(&list.profile) < 0)
		return 0;
	if (!python_layout_find((uint16_t)(PYTHON_3_8 + data[0] % 5), &python.layout))
		__builtin_trap();
	python.list = &list;
	sample.n = data[1] % NATIVE_MOST + 1u;
	sample.truncated = data[1] & 0x40;
	sample.in_call = data[1] & 0x80;
	head = 2 + 2 * sample.n;
	for (size_t i = 0; i < sample.n && head <= size; i++)
		native[i].sp = STACK + data[2 + 2 * i] + 256u * data[3 + 2 * i];
	copy = copy_of(data + (head < size ? head : size), head < size ? size - head : 0);
	if (copy && head < size) {
		size -= head;
		take_objects(&python, copy, size);
		try_texts(&python.layout, copy, size);
		record.frame = copy;
		record.frames = (uint32_t)(size / (8 * RECORD_FRAME_WORDS));
		record.thread_word[0] = STACK + copy[0];
		sample.piece[0] = (struct unwind_piece){STACK, copy, size};
		(void)python_merge(&python, &sample, &stack);
		for (size_t i = 0; i < stack.groups; i++)
			if (stack.group[i].frame >= sample.n ||
				stack.group[i].first + stack.group[i].n > stack.locations)
				__builtin_trap();
	}
	free(copy);
	python_free_codes(&python);
	free(stack.location);
	free(stack.group);
	profile_free(list.profile);
	return 0;
}
