/* SPDX-License-Identifier: MIT */
#include "analyst/python/python_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Fields of _Py_DebugOffsets; @descriptions has the index of each one's 8-byte word. */
enum word {
	VERSION,
	FREE_THREADED,
	RUNTIME_SIZE,
	INTERPRETERS,
	INTERPRETER_SIZE,
	INTERPRETER_NEXT,
	INTERPRETER_THREADS,
	GIL,
	GIL_LOCKED,
	GIL_HOLDER,
	THREAD_NEXT,
	THREAD_FRAME,
	THREAD_SELF,
	THREAD_TID,
	THREAD_CHUNK,
	FRAME_PREVIOUS,
	FRAME_CODE,
	FRAME_INSTRUCTION,
	FRAME_OWNER,
	CODE_FILE,
	CODE_NAME,
	CODE_LINES,
	CODE_FIRST_LINE,
	CODE_START,
	WORDS
};

static const struct {
	uint16_t version;
	uint8_t tag; /* tag bits of a reference (_PyStackRef) */
	uint8_t word[WORDS];
} descriptions[] = {
	{PYTHON_3_13, 0,
		{1, 2, 3, 5, 6, 8, 9, 15, 17, 18, 21, 23, 24, 25, 26, 29, 30, 31, 33, 35, 37, 38,
			39, 43}},
	{PYTHON_3_14, 3,
		{1, 2, 3, 5, 6, 8, 9, 16, 18, 19, 24, 26, 27, 28, 29, 32, 33, 34, 36, 40, 42, 43,
			44, 48}},
};

const struct python_layout *python_layout_find(uint16_t version)
{
	for (size_t i = 0; i < python_layouts_n; i++)
		if (python_layouts[i].version == version)
			return &python_layouts[i];
	return NULL;
}

/* Later versions have 3.12's layout of texts and stack chunks, but no _PyCFrame. */
static struct python_layout begin_from_3_12(uint16_t version)
{
	struct python_layout layout = *python_layout_find(PYTHON_3_12);

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

/* Sets where the GIL is: in the main interpreter, which ends _PyRuntime. False: it is not. */
static bool describe_lock(const uint64_t word[WORDS], struct python_layout *l)
{
	if (word[RUNTIME_SIZE] < word[INTERPRETER_SIZE] ||
		word[GIL] + l->gil_bytes > word[INTERPRETER_SIZE])
		return false;
	l->gil = (uint32_t)(word[RUNTIME_SIZE] - word[INTERPRETER_SIZE] + word[GIL]);
	l->gil_holder = (uint32_t)(word[GIL_HOLDER] - word[GIL]);
	l->gil_locked = (uint32_t)(word[GIL_LOCKED] - word[GIL]);
	return true;
}

/* Copies the words of _Py_DebugOffsets. -ENOTSUP: unknown version; -EPROTO: they make no sense. */
static int take_words(const uint8_t *offsets, size_t bytes, uint16_t version, uint64_t word[WORDS],
	uint8_t *ret_tag)
{
	for (size_t k = 0; k < sizeof(descriptions) / sizeof(*descriptions); k++) {
		if (descriptions[k].version != version)
			continue;
		for (int i = 0; i < WORDS; i++) {
			size_t at = 8 * (size_t)descriptions[k].word[i];

			if (at + 8 > bytes)
				return -EPROTO;
			memcpy(&word[i], offsets + at, 8);
			if (i != VERSION && word[i] > INT32_MAX)
				return -EPROTO;
		}
		*ret_tag = descriptions[k].tag;
		return 0;
	}
	return -ENOTSUP;
}

int python_layout_describe(
	const uint8_t *offsets, size_t bytes, uint16_t version, struct python_layout *ret_layout)
{
	struct python_layout l;
	uint64_t word[WORDS];
	uint8_t tag;
	int r = take_words(offsets, bytes, version, word, &tag);

	if (r < 0)
		return r;
	if (memcmp(offsets, "xdebugpy", 8) != 0 || word[VERSION] >> 16 != version)
		return -EPROTO;
	if (word[FREE_THREADED])
		return -ENOTSUP;
	l = begin_from_3_12(version);
	l.interpreters = (uint32_t)word[INTERPRETERS];
	l.interpreter_next = (uint32_t)word[INTERPRETER_NEXT];
	l.interpreter_threads = (uint32_t)word[INTERPRETER_THREADS];
	l.thread_next = (uint32_t)word[THREAD_NEXT];
	l.thread_frame = (uint32_t)word[THREAD_FRAME];
	l.thread_self = (uint32_t)word[THREAD_SELF];
	l.thread_tid = (uint32_t)word[THREAD_TID];
	l.thread_chunk = (uint32_t)word[THREAD_CHUNK];
	l.thread_top = l.thread_chunk + 8;
	l.frame_previous = (uint32_t)word[FRAME_PREVIOUS];
	l.frame_code = (uint32_t)word[FRAME_CODE];
	l.frame_instruction = (uint32_t)word[FRAME_INSTRUCTION];
	l.frame_owner = (uint32_t)word[FRAME_OWNER];
	l.code_file = (uint32_t)word[CODE_FILE];
	l.code_name = (uint32_t)word[CODE_NAME];
	l.code_lines = (uint32_t)word[CODE_LINES];
	l.code_first_line = (uint32_t)word[CODE_FIRST_LINE];
	l.code_start = (uint32_t)word[CODE_START];
	l.tag = tag;
	if (!describe_lock(word, &l) || !is_sane(&l))
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
	/* frame_owner is a byte of this word. */
	const uint32_t flags = l->frame_owner ? l->frame_owner & ~7u : RUNTIME_NONE;
	const uint32_t in_frame[] = {
		l->frame_previous, l->frame_code, l->frame_instruction, l->frame_owner & ~7u};
	const uint32_t in_code[] = {l->code_file, l->code_name, l->code_lines, l->code_first_line};
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
		.object_bytes = greatest(in_code, 4) + 8,
		.key = {l->code_file, l->code_name, l->code_lines, l->code_first_line & ~7u, 16},
	};

	describe_texts(l, &t);
	*ret_table = t;
}
