/* SPDX-License-Identifier: MIT */
/*
 * Objects and frames of a hostile CPython. Input:
 *
 *	size	contents
 *	1	the version, from 3.8 on
 *	1	bits 0-3 the number of native frames less 1, bit 6 truncated, bit 7 in a call
 *	2	for each native frame: its stack pointer, from the beginning of the stack
 *	1600	four code objects, each with its three texts
 *	256	the stack; its first byte is the offset of the innermost _PyCFrame
 *	-	the frames of a record
 *
 * What follows the stack pointers is read as a text, as a table of lines and as a _Py_DebugOffsets,
 * too.
 */
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_code.h"
#include "analyst/python/python_internal.h"
#include "profile/profile.h"
#include "tests/fuzz/fuzz.h"

enum { CODE_TAKEN, MERGED_3_10, MERGED_3_11, MERGED_3_12, DESCRIBED_3_13, DESCRIBED_3_14, PARTS };
const unsigned fuzz_parts = PARTS;

enum { OBJECTS = 4, OBJECT_BYTES = 208, TEXT_BYTES = 64, CODE = 0x10000, CODE_EACH = 0x100 };
enum { CODE_BYTES = OBJECT_BYTES + RUNTIME_TEXTS * TEXT_BYTES };
enum { STACK = 0x7000, STACK_BYTES = 256, NATIVE_MOST = 16, VERSIONS = 7, OFFSETS_BYTES = 400 };

static void put(uint8_t *to, size_t at, uint64_t word)
{
	memcpy(to + at, &word, sizeof(word));
}

/* Makes a _Py_DebugOffsets in which most fields are at offset 64. */
static void make_offsets(uint16_t version, uint8_t *ret_offsets)
{
	static const uint64_t size[] = {3, 8192, 6, 4096}; /* words, and what they have */

	for (size_t at = 0; at < OFFSETS_BYTES; at += 8)
		put(ret_offsets, at, 64);
	memcpy(ret_offsets, "xdebugpy", 8);
	put(ret_offsets, 8, (uint64_t)version << 16);
	put(ret_offsets, 16, 0);
	for (size_t i = 0; i < 4; i += 2)
		put(ret_offsets, 8 * size[i], size[i + 1]);
}

static struct python_layout layout_of(unsigned which)
{
	const uint16_t version = (uint16_t)(PYTHON_3_8 + which);
	uint8_t offsets[OFFSETS_BYTES];
	struct python_layout layout;

	make_offsets(version, offsets);
	if (!python_layout_find(version, &layout) &&
		python_layout_describe(offsets, sizeof(offsets), version, &layout) < 0)
		__builtin_trap();
	return layout;
}

/* An exact copy: the sanitizer sees a read too far. */
static uint8_t *copy_of(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes ? bytes : 1);

	if (copy && bytes)
		memcpy(copy, data, bytes);
	return copy;
}

static void take_objects(struct python *python, const uint8_t *data)
{
	for (uint64_t i = 0; i < OBJECTS; i++) {
		struct record_object object = {
			.address = CODE + i * CODE_EACH, .bytes = OBJECT_BYTES, .data = data};

		for (size_t k = 0; k < RUNTIME_TEXTS; k++) {
			object.text[k] = data + OBJECT_BYTES + k * TEXT_BYTES;
			object.text_bytes[k] = TEXT_BYTES;
		}
		(void)python_runtime.object(python, &object);
		data += CODE_BYTES;
	}
	if (python->codes && python->code[0].lines_bytes)
		fuzz_accept(CODE_TAKEN);
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
			fuzz_accept(version == PYTHON_3_13 ? DESCRIBED_3_13 : DESCRIBED_3_14);
		}
}

static void merge(
	struct python *python, struct runtime_sample *sample, const uint8_t *data, size_t size)
{
	const uint16_t version = python->layout.version;
	struct record_runtime record = {.frame = data + STACK_BYTES,
		.frames = (uint32_t)((size - STACK_BYTES) / (8 * RECORD_FRAME_WORDS)),
		.thread_word = {STACK + data[0]}};
	struct runtime_stack stack = {0};

	sample->record = &record;
	sample->piece[0] = (struct unwind_piece){STACK, data, STACK_BYTES};
	(void)python_merge(python, sample, &stack);
	for (size_t i = 0; i < stack.groups; i++)
		if (stack.group[i].frame >= sample->n ||
			stack.group[i].first + stack.group[i].n > stack.locations)
			__builtin_trap();
	if (stack.groups)
		fuzz_accept(version == PYTHON_3_10       ? MERGED_3_10
				: version == PYTHON_3_11 ? MERGED_3_11
							 : MERGED_3_12);
	free(stack.location);
	free(stack.group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_frame native[NATIVE_MOST] = {0};
	struct locations list = {0};
	/* This module contains no frame. */
	struct python python = {.gil = STACK, .gil_bytes = 64, .module = (void *)&list};
	struct runtime_sample sample = {.frame = native};
	uint8_t *copy;
	size_t head;

	if (size < 2 || profile_new(&list.profile) < 0)
		return 0;
	python.layout = layout_of(data[0] % VERSIONS);
	python.list = &list;
	python.mapping = profile_mapping_of(list.profile, "python");
	if (python.mapping < 0)
		__builtin_trap();
	sample.n = data[1] % NATIVE_MOST + 1u;
	sample.truncated = data[1] & 0x40;
	sample.in_call = data[1] & 0x80;
	head = 2 + 2 * sample.n;
	for (size_t i = 0; i < sample.n && head <= size; i++)
		native[i].sp = STACK + data[2 + 2 * i] + 256u * data[3 + 2 * i];
	copy = copy_of(data + (head < size ? head : size), head < size ? size - head : 0);
	if (copy && head < size) {
		size -= head;
		try_texts(&python.layout, copy, size);
		if (size >= OBJECTS * CODE_BYTES + STACK_BYTES) {
			take_objects(&python, copy);
			merge(&python, &sample, copy + OBJECTS * CODE_BYTES,
				size - OBJECTS * CODE_BYTES);
		}
	}
	free(copy);
	python_free_codes(&python);
	profile_free(list.profile);
	return 0;
}

/* Makes a code object with its name and its lines. */
static void make_code(const struct python_layout *l, uint8_t *to)
{
	uint8_t *name = to + OBJECT_BYTES + TEXT_BYTES, *lines = name + TEXT_BYTES;
	const uint32_t first_line = 7;

	memcpy(to + l->code_first_line, &first_line, sizeof(first_line));
	put(name, l->text_length, 4);
	put(name, l->text_state, 1 << 2 | 1 << 5 | 1 << 6); /* 1 byte a character, compact, ASCII */
	memcpy(name + l->text_ascii, "func", 4);
	put(lines, l->bytes_length, 2);
	/* A single range of code, which begins a line later. */
	memcpy(lines + l->bytes_data, l->version <= PYTHON_3_10 ? "\x10\x01" : "\xef\x02", 2);
}

/* Makes an activation at offset 16 of the stack, and the record's frames. Returns their bytes. */
static size_t make_frames(const struct python_layout *l, uint8_t *to)
{
	enum { AT = 16, EACH = 8 * RECORD_FRAME_WORDS };
	uint8_t *frames = to + STACK_BYTES;
	const bool by_frame = l->version >= PYTHON_3_12;
	const uint32_t flag = by_frame ? l->frame_owner : l->frame_is_entry;

	to[0] = AT;
	for (size_t i = 0; i < 1u + by_frame; i++) {
		put(frames, i * EACH, by_frame && i ? STACK + AT : CODE);
		put(frames, i * EACH + 16, CODE);
		put(frames, i * EACH + 24, l->version == PYTHON_3_10 ? 2 : CODE + l->code_start);
	}
	if (l->version == PYTHON_3_11)
		put(to, AT + l->cframe_frame, CODE);
	frames[by_frame * EACH + 32 + (flag & 7)] = 3;
	return STACK_BYTES + (1u + by_frame) * EACH;
}

/* Each version's frames, and the offsets that the last two have. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	static const uint8_t native[] = {1, 0, 0, 128, 0};
	const struct python_layout layout = layout_of(n % VERSIONS);
	size_t bytes = 1 + sizeof(native);

	if (n >= VERSIONS + 2)
		return 0;
	memset(ret_data, 0, FUZZ_SEED_BYTES);
	ret_data[0] = (uint8_t)(n % VERSIONS);
	memcpy(ret_data + 1, native, sizeof(native));
	if (n >= VERSIONS) {
		make_offsets((uint16_t)(PYTHON_3_13 + n - VERSIONS), ret_data + bytes);
		return bytes + OFFSETS_BYTES;
	}
	for (int i = 0; i < OBJECTS; i++, bytes += CODE_BYTES)
		make_code(&layout, ret_data + bytes);
	return bytes + make_frames(&layout, ret_data + bytes);
}
