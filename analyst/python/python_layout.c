/* SPDX-License-Identifier: MIT */
#include "analyst/python/python_layout.h"

#include <errno.h>
#include <string.h>

/* Indices of 8-byte words of _Py_DebugOffsets. */
enum {
	VERSION = 1,
	FREE_THREADED = 2,
	RUNTIME_SIZE = 3,
	INTERPRETER_SIZE = 6,
};

/* Offset of the size that each object of variable length has: a key of code objects. */
enum { OBJECT_SIZE = 16 };

/*
 * Fields that _Py_DebugOffsets describes. The offsets of the GIL and of its fields are from the
 * beginning of the interpreter's structure; place_lock() changes them.
 */
static const struct {
	uint16_t at;
	uint8_t word[2]; /* index of the field's word in 3.13, and in 3.14 */
} described[] = {
	{PYTHON_IN(interpreters), {5, 5}},
	{PYTHON_IN(interpreter_next), {8, 8}},
	{PYTHON_IN(interpreter_threads), {9, 9}},
	{PYTHON_IN(gil), {15, 16}},
	{PYTHON_IN(gil_locked), {17, 18}},
	{PYTHON_IN(gil_holder), {18, 19}},
	{PYTHON_IN(thread_next), {21, 24}},
	{PYTHON_IN(thread_frame), {23, 26}},
	{PYTHON_IN(thread_self), {24, 27}},
	{PYTHON_IN(thread_tid), {25, 28}},
	{PYTHON_IN(thread_chunk), {26, 29}},
	{PYTHON_IN(frame_previous), {29, 32}},
	{PYTHON_IN(frame_code), {30, 33}},
	{PYTHON_IN(frame_instruction), {31, 34}},
	{PYTHON_IN(frame_owner), {33, 36}},
	{PYTHON_IN(code_file), {35, 40}},
	{PYTHON_IN(code_name), {37, 42}},
	{PYTHON_IN(code_lines), {38, 43}},
	{PYTHON_IN(code_first_line), {39, 44}},
	{PYTHON_IN(code_start), {43, 48}},
};

static void put(struct python_layout *layout, uint16_t at, uint32_t offset)
{
	memcpy((uint8_t *)layout + at, &offset, sizeof(offset));
}

bool python_layout_find(uint16_t version, struct python_layout *ret_layout)
{
	struct python_layout layout = {.version = version};

	if (version < PYTHON_3_8 || version >= PYTHON_3_8 + PYTHON_TABLED)
		return false;
	for (size_t i = 0; i < python_fields_n; i++)
		put(&layout, python_fields[i].at, python_fields[i].offset[version - PYTHON_3_8]);
	*ret_layout = layout;
	return true;
}

/* Later versions have 3.12's layout of texts and stack chunks, but no _PyCFrame. */
static struct python_layout begin_from_3_12(uint16_t version)
{
	struct python_layout layout;

	(void)python_layout_find(PYTHON_3_12, &layout);
	layout.version = version;
	layout.thread_cframe = layout.cframe_previous = layout.cframe_frame = 0;
	return layout;
}

static bool is_sane(const struct python_layout *l)
{
	const uint32_t small[] = {l->thread_next, l->thread_self, l->thread_tid, l->thread_chunk,
		l->thread_frame, l->frame_previous, l->frame_code, l->frame_instruction,
		l->frame_owner, l->code_file, l->code_name, l->code_lines, l->code_first_line};

	for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++)
		if (small[i] > 480 - 8)
			return false;
	return l->interpreters < 65536 && l->interpreter_next < RUNTIME_OFFSET_MOST &&
		l->interpreter_threads < RUNTIME_OFFSET_MOST && l->code_start >= 64 &&
		l->code_start <= RUNTIME_OBJECT_BYTES_MOST && l->gil_holder < l->gil_bytes &&
		l->gil_locked < l->gil_bytes;
}

/* Reads a word of _Py_DebugOffsets. False: @offsets ends before it, or the word is too large. */
static bool take_word(const uint8_t *offsets, size_t bytes, size_t index, uint32_t *ret_word)
{
	uint64_t word;

	if (8 * index + 8 > bytes)
		return false;
	memcpy(&word, offsets + 8 * index, 8);
	*ret_word = (uint32_t)word;
	return word <= INT32_MAX;
}

/*
 * The main interpreter's structure is at the end of _PyRuntime. Changes the GIL's offset in that
 * structure to an offset in _PyRuntime, and the offsets of the GIL's fields to offsets in the GIL.
 * False: the GIL does not lie within the interpreter's structure.
 */
static bool place_lock(uint32_t runtime_size, uint32_t interpreter_size, struct python_layout *l)
{
	if (runtime_size < interpreter_size || l->gil + l->gil_bytes > interpreter_size)
		return false;
	l->gil_holder -= l->gil;
	l->gil_locked -= l->gil;
	l->gil += runtime_size - interpreter_size;
	return true;
}

int python_layout_describe(
	const uint8_t *offsets, size_t bytes, uint16_t version, struct python_layout *ret_layout)
{
	struct python_layout l;
	uint32_t hex, free_threaded, runtime_size, interpreter_size, offset;

	if (version != PYTHON_3_13 && version != PYTHON_3_14)
		return -ENOTSUP;
	l = begin_from_3_12(version);
	if (!take_word(offsets, bytes, VERSION, &hex) ||
		!take_word(offsets, bytes, FREE_THREADED, &free_threaded) ||
		!take_word(offsets, bytes, RUNTIME_SIZE, &runtime_size) ||
		!take_word(offsets, bytes, INTERPRETER_SIZE, &interpreter_size))
		return -EPROTO;
	for (size_t i = 0; i < sizeof(described) / sizeof(*described); i++) {
		if (!take_word(offsets, bytes, described[i].word[version - PYTHON_3_13], &offset))
			return -EPROTO;
		put(&l, described[i].at, offset);
	}
	if (memcmp(offsets, "xdebugpy", 8) != 0 || hex >> 16 != version)
		return -EPROTO;
	if (free_threaded)
		return -ENOTSUP;
	l.thread_top = l.thread_chunk + 8;
	l.tag = version == PYTHON_3_14 ? 3 : 0; /* tag bits of a reference (_PyStackRef) */
	if (!place_lock(runtime_size, interpreter_size, &l) || !is_sane(&l))
		return -EPROTO;
	*ret_layout = l;
	return 0;
}

static uint32_t greatest(const uint32_t *offset, size_t n)
{
	uint32_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (offset[i] > most)
			most = offset[i];
	return most;
}

static void describe_texts(const struct python_layout *l, struct runtime_table *t)
{
	const uint32_t pointer[RUNTIME_TEXTS] = {l->code_file, l->code_name, l->code_lines};

	for (int i = 0; i < RUNTIME_TEXTS; i++)
		t->text[i] = (struct runtime_text){.pointer = pointer[i],
			.length = i == 2 ? l->bytes_length : l->text_length,
			.data = i == 2 ? l->bytes_data : l->text_wide,
			.unit = i == 2 ? 1 : 4};
}

void python_layout_table(
	const struct python_layout *l, uint64_t runtime, struct runtime_table *ret_table)
{
	const bool cframe_has_frame = l->version == PYTHON_3_11 || l->version == PYTHON_3_12;
	const uint32_t in_thread[] = {l->thread_next, l->thread_self, l->thread_tid,
		l->thread_chunk, l->thread_top, l->thread_cframe, l->thread_frame};
	/* The 8-byte word of the frame that contains the byte frame_owner. */
	const uint32_t flags = l->frame_owner ? l->frame_owner & ~7u : RUNTIME_NONE;
	const uint32_t in_frame[] = {
		l->frame_previous, l->frame_code, l->frame_instruction, l->frame_owner & ~7u};
	const uint32_t in_code[] = {
		l->code_file, l->code_name, l->code_lines, l->code_first_line, OBJECT_SIZE};
	struct runtime_table t = {
		.threads_head = runtime + l->interpreters,
		.group_next = l->interpreter_next,
		.group_threads = l->interpreter_threads,
		.thread_bytes = greatest(in_thread, 7) + 8,
		.thread_next = l->thread_next,
		.thread_tid = l->thread_tid ? l->thread_tid : RUNTIME_NONE,
		.thread_self = l->thread_self,
		.thread_frame = cframe_has_frame ? l->thread_cframe : l->thread_frame,
		.frame_behind = cframe_has_frame ? l->cframe_frame : RUNTIME_NONE,
		.thread_word = {l->thread_cframe ? l->thread_cframe : RUNTIME_NONE, RUNTIME_NONE},
		.thread_chunk = l->thread_chunk ? l->thread_chunk : RUNTIME_NONE,
		.thread_top = l->thread_chunk ? l->thread_top : RUNTIME_NONE,
		.chunk_previous = l->chunk_previous,
		.chunk_used = l->chunk_used,
		.chunk_data = l->chunk_data,
		.watch = {l->gil ? runtime + l->gil + l->gil_holder : 0,
			l->gil ? runtime + l->gil + l->gil_locked : 0},
		.frame_bytes = greatest(in_frame, 4) + 8,
		.frame_word = {l->frame_previous, l->frame_code, l->frame_instruction, flags},
		.tag = l->tag,
		.object_bytes = greatest(in_code, 5) + 8,
		.key = {l->code_file, l->code_name, l->code_lines, l->code_first_line & ~7u,
			OBJECT_SIZE},
	};

	describe_texts(l, &t);
	*ret_table = t;
}
