/* SPDX-License-Identifier: MIT */
/* CPython's frames as in records, and their places in a native stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/python/python_code.h"
#include "analyst/python/python_internal.h"
#include "profile/profile.h"
#include "tests/unit/analyst/python_lines.h"

static void test_python__lines_are_those_that_the_interpreter_tells(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(python_lines) / sizeof(*python_lines); i++) {
		for (size_t k = 0; k < python_lines[i].lines; k++)
			assert_int_equal(python_line(python_lines[i].version, python_lines[i].table,
						 python_lines[i].bytes, python_lines[i].first_line,
						 (int64_t)(2 * k)),
				python_lines[i].line[k]);
		assert_int_equal(python_line(python_lines[i].version, python_lines[i].table,
					 python_lines[i].bytes, 42, -2),
			42);
	}
}

static void test_python__damaged_lines_end(void **state)
{
	(void)state;
	for (uint16_t version = PYTHON_3_8; version <= PYTHON_3_14; version++) {
		uint8_t bytes[64];

		for (int fill = 0; fill < 256; fill++) {
			memset(bytes, fill, sizeof(bytes));
			for (size_t n = 0; n <= sizeof(bytes); n++)
				(void)python_line(version, bytes, n, INT32_MAX, INT64_MAX);
		}
	}
}

static void put_word(uint8_t *to, size_t at, uint64_t word)
{
	memcpy(to + at, &word, sizeof(word));
}

/* Writes a str of CPython 3.11 with characters of @kind bytes. Returns its length in bytes. */
static size_t put_str(uint8_t *to, unsigned kind, bool ascii, const void *text, size_t length)
{
	size_t data = ascii ? 48 : 72;

	memset(to, 0, data);
	put_word(to, 16, length);
	put_word(to, 32, kind << 2 | 1u << 5 | (unsigned)ascii << 6);
	memcpy(to + data, text, length * kind);
	return data + length * kind;
}

static void test_python__texts_become_utf8(void **state)
{
	struct python_layout layout, *const l = &layout;
	const uint16_t two[] = {'a', 0x17e, 0x20ac, 0xd800, 0};
	const uint32_t four[] = {0x1f40d, 'b', 0x110000};
	char text[PYTHON_TEXT_MOST + 1], *big = malloc(10000);
	uint8_t *b = malloc(20000);
	size_t n;

	(void)state;
	assert_true(b && big);
	assert_true(python_layout_find(PYTHON_3_11, &layout));
	n = put_str(b, 1, true, "A.method", 8);
	assert_true(python_text(l, b, n, text));
	assert_string_equal(text, "A.method");
	assert_false(python_text(l, b, n - 1, text)); /* cut text */
	assert_false(python_text(l, b, 40, text));
	n = put_str(b, 1, false, "\xe4\xff", 2);
	assert_true(python_text(l, b, n, text));
	assert_string_equal(text, "\xc3\xa4\xc3\xbf");
	n = put_str(b, 2, false, two, 5);
	assert_true(python_text(l, b, n, text));
	assert_string_equal(text, "a\xc5\xbe\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd");
	n = put_str(b, 4, false, four, 3);
	assert_true(python_text(l, b, n, text));
	assert_string_equal(text,
		"\xf0\x9f\x90\x8d"
		"b\xef\xbf\xbd");
	memset(big, 'x', 10000);
	n = put_str(b, 1, true, big, 10000);
	assert_true(python_text(l, b, n, text));
	assert_int_equal(strlen(text), PYTHON_TEXT_MOST);
	put_word(b, 16, UINT64_MAX);
	assert_false(python_text(l, b, n, text));
	put_word(b, 32, 3u << 2 | 1u << 5); /* an invalid kind of characters */
	assert_false(python_text(l, b, n, text));
	free(b);
	free(big);
}

/* CPython 3.14 first gave "interned" 16 bits, then 2. Bits above "ascii" have any value. */
static void test_python__both_texts_of_3_14(void **state)
{
	static const uint32_t states[] = {
		3 | 1u << 2 | 1u << 5 | 1u << 6 | 0xdead00u, 2 | 1u << 16 | 1u << 19 | 1u << 20};
	struct python_layout l;
	char text[PYTHON_TEXT_MOST + 1];
	uint8_t b[64] = {0};

	(void)state;
	assert_true(python_layout_find(PYTHON_3_12, &l));
	l.version = PYTHON_3_14;
	put_word(b, 16, 4);
	memcpy(b + 40, "name", 4);
	for (size_t i = 0; i < 2; i++) {
		put_word(b, 32, states[i]);
		assert_true(python_text(&l, b, 44, text));
		assert_string_equal(text, "name");
	}
	put_word(b, 32, 3);
	assert_false(python_text(&l, b, 44, text));
}

enum { FRAMES = 8, STACK = 0x7000, STACK_BYTES = 0x1000, CODE = 0x100000 };

/* A process with code objects f0, f1, … at CODE, CODE + 0x1000, …, and a stack. */
struct fixture {
	struct profile *profile;
	struct locations list;
	struct python python;
	uint64_t word[FRAMES * RECORD_FRAME_WORDS];
	uint8_t stack[STACK_BYTES];
	struct unwind_frame native[FRAMES];
	struct record_runtime record;
	struct runtime_sample sample;
	struct runtime_stack result;
};

static void add_code_of(
	struct fixture *f, unsigned index, const char *path, const char *text, int32_t first_line)
{
	uint8_t object[512] = {0}, file[128], name[128], lines[40] = {0};
	struct record_object record = {.address = CODE + index * 0x1000,
		.bytes = sizeof(object),
		.data = object,
		.text = {file, name, lines}};

	memcpy(object + f->python.layout.code_first_line, &first_line, 4);
	record.text_bytes[0] = (uint32_t)put_str(file, 1, true, path, strlen(path));
	record.text_bytes[1] = (uint32_t)put_str(name, 1, true, text, strlen(text));
	if (f->python.layout.version >= PYTHON_3_12) { /* strings have shorter headers */
		memmove(file + 40, file + 48, strlen(path));
		memmove(name + 40, name + 48, strlen(text));
		record.text_bytes[0] -= 8;
		record.text_bytes[1] -= 8;
	}
	put_word(lines, 16, 1);
	lines[32] = 0x80 | 13 << 3; /* one instruction; its line follows */
	record.text_bytes[2] = 33;
	assert_int_equal(python_runtime.object(&f->python, &record), 0);
}

static void add_code(struct fixture *f, unsigned index)
{
	add_code_of(f, index, "/x.py", (char[]){'f', (char)('0' + index), '\0'}, 10);
}

static struct fixture *fixture_new(uint16_t version)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(profile_new(&f->profile), 0);
	f->list.profile = f->profile;
	assert_true(python_layout_find(version, &f->python.layout));
	f->python.list = &f->list;
	f->python.mapping = profile_add_mapping(
		f->profile, &(struct mapping){.file = "[python]", .build_id = ""});
	for (unsigned i = 0; i < 4; i++)
		add_code(f, i);
	f->record.frame = (const uint8_t *)f->word;
	f->sample = (struct runtime_sample){.record = &f->record,
		.frame = f->native,
		.piece = {{STACK, f->stack, sizeof(f->stack)}}};
	return f;
}

static void fixture_free(struct fixture *f)
{
	python_free_codes(&f->python);
	free(f->result.location);
	free(f->result.group);
	profile_free(f->profile);
	free(f);
}

/* @sp: of the native frames, innermost first. */
static void set_native(struct fixture *f, size_t n, const uint64_t *sp)
{
	for (size_t i = 0; i < n; i++)
		f->native[i] = (struct unwind_frame){.sp = sp[i]};
	f->sample.n = n;
}

static void add_frame(struct fixture *f, uint64_t address, unsigned code, uint64_t flags)
{
	uint64_t *word = f->word + f->record.frames++ * RECORD_FRAME_WORDS;

	word[0] = address;
	word[2] = CODE + code * 0x1000;
	word[3] = word[2] + f->python.layout.code_start;
	word[4] = flags;
}

static void assert_group(const struct fixture *f, size_t group, size_t native, const char *names)
{
	const struct runtime_group *g = &f->result.group[group];

	assert_true(group < f->result.groups);
	assert_int_equal(g->frame, native);
	assert_int_equal(g->n, strlen(names) / 2);
	for (size_t i = 0; i < g->n; i++) {
		struct location l = profile_location(f->profile, f->result.location[g->first + i]);
		struct function function = profile_function(f->profile, l.line[0].function);

		assert_string_equal(profile_mapping(f->profile, l.mapping).file, "[python]");
		assert_memory_equal(function.name, names + 2 * i, 2);
		assert_string_equal(function.file, "/x.py");
		assert_int_equal(function.line, 10);
	}
}

/* is_entry of a frame of CPython 3.11: the outermost of an activation. */
#define ENTRY (UINT64_C(1) << 32)

/* CPython 3.11: two activations, of which the outer one runs two frames. */
static struct fixture *fixture_3_11(void)
{
	static const uint64_t sp[] = {0x7000, 0x7040, 0x7200, 0x7300, 0x7500, 0x7600};
	struct fixture *f = fixture_new(PYTHON_3_11);

	set_native(f, 6, sp);
	add_frame(f, 0x9000, 0, ENTRY);
	add_frame(f, 0xa000, 1, 0);
	add_frame(f, 0xb000, 2, ENTRY);
	/* Objects of the stack at 0x7100 and 0x7400: each has its frame, then the next object. */
	put_word(f->stack, 0x100 + 8, 0x9000);
	put_word(f->stack, 0x100 + 16, 0x7400);
	put_word(f->stack, 0x400 + 8, 0xa000);
	put_word(f->stack, 0x400 + 16, 0x12000150);
	f->record.thread_word[0] = 0x7100;
	return f;
}

static void test_python__3_11_by_its_objects_on_the_stack(void **state)
{
	struct fixture *f = fixture_3_11();

	(void)state;
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 2);
	assert_group(f, 0, 1, "f0");
	assert_group(f, 1, 3, "f1f2");
	fixture_free(f);
}

/* Python's frames and the native stack disagree, so only RUNTIMES_ONLY can show Python's. */
static void test_python__3_11_disagreements(void **state)
{
	static const struct {
		size_t at;
		uint64_t word;
	} damage[] = {
		{0x100 + 8, 0x9008},  /* another frame */
		{0x100 + 16, 0x7450}, /* another object */
		{0x100 + 16, 0},
		{0x400 + 8, 0xb000},
	};
	struct fixture *f;

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		f = fixture_3_11();
		put_word(f->stack, damage[i].at, damage[i].word);
		assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
		assert_int_equal(f->result.groups, 0);
		assert_int_equal(f->result.locations, 3);
		fixture_free(f);
	}
	f = fixture_3_11();
	f->word[2 * RECORD_FRAME_WORDS + 4] = 0; /* the outer activation has no entry frame */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	fixture_free(f);
	f = fixture_3_11();
	f->word[2] = CODE + 0x5000; /* no code object is known there */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	assert_int_equal(f->result.locations, 0);
	fixture_free(f);
	f = fixture_3_11();
	f->record.flags = RECORD_RUNTIME_UNREAD;
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	fixture_free(f);
}

/* The copy of the stack ends between the two activations. */
static void test_python__3_11_of_a_truncated_stack(void **state)
{
	struct fixture *f = fixture_3_11();

	(void)state;
	f->sample.truncated = true;
	f->sample.n = 3;
	f->sample.piece[0].bytes = 0x300;
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 1);
	assert_group(f, 0, 1, "f0");
	fixture_free(f);
}

/* In 3.12, byte 6 of a frame's flags is its owner. 3: the evaluation loop, on the C stack. */
#define OWN (UINT64_C(3) << 48)

static void test_python__3_12_by_frames_on_the_stack(void **state)
{
	static const uint64_t sp[] = {0x7000, 0x7040, 0x7200, 0x7300, 0x7500, 0x7600};
	struct fixture *f = fixture_new(PYTHON_3_12);

	(void)state;
	set_native(f, 6, sp);
	/* The innermost activation has not begun a frame yet. */
	add_frame(f, 0x7010, 0, OWN);
	add_frame(f, 0x9000, 0, 0);
	add_frame(f, 0x7100, 0, OWN);
	add_frame(f, 0xa000, 1, 0);
	add_frame(f, 0xb000, 2, 0);
	add_frame(f, 0x7400, 0, OWN);
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 2);
	assert_group(f, 0, 1, "f0");
	assert_group(f, 1, 3, "f1f2");
	f->word[2 * RECORD_FRAME_WORDS] = 0x6ff0; /* the frame is not on the stack */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	assert_int_equal(f->result.locations, 3);
	fixture_free(f);
}

static void test_python__the_interpreters_own_code_is_none_of_python(void **state)
{
	static const uint64_t sp[] = {0x7000, 0x7040, 0x7200, 0x7300, 0x7500, 0x7600};
	struct fixture *f = fixture_new(PYTHON_3_12);

	(void)state;
	f->python.layout.version = PYTHON_3_13;
	add_code_of(f, 1, "__init__", "__init__", 0);
	set_native(f, 6, sp);
	/* The innermost activation has only a frame of the interpreter's own code. */
	add_frame(f, 0x9000, 1, 0);
	add_frame(f, 0x7100, 0, OWN);
	add_frame(f, 0x9100, 0, 0);
	add_frame(f, 0x9200, 1, 0);
	add_frame(f, 0x9300, 2, 0);
	add_frame(f, 0x7400, 0, OWN);
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 1);
	assert_group(f, 0, 3, "f0f2");
	add_code_of(f, 1, "/x.py", "f1", 10); /* now a program's code */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 2);
	assert_group(f, 0, 1, "f1");
	assert_group(f, 1, 3, "f0f1f2");
	fixture_free(f);
}

static struct fixture *fixture_3_10(unsigned objects, unsigned frames)
{
	static const uint64_t sp[] = {0x7000, 0x7200, 0x7300, 0x7500, 0x7600};
	struct fixture *f = fixture_new(PYTHON_3_10);

	set_native(f, 5, sp);
	/* Objects at 0x7100, 0x7250 and 0x7400; thread_word[0] points to the innermost. */
	put_word(f->stack, 0x100 + 8, 0x7250);
	put_word(f->stack, 0x250 + 8, 0x7400);
	put_word(f->stack, 0x400 + 8, 0x12000150);
	f->record.thread_word[0] = objects == 3 ? 0x7100 : 0x7250;
	for (unsigned i = 3 - frames; i < 3; i++)
		add_frame(f, 0x9000 + i * 0x100, i, 0);
	return f;
}

static void test_python__3_10_by_its_objects_on_the_stack(void **state)
{
	struct fixture *f = fixture_3_10(3, 3);

	(void)state;
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 3);
	assert_group(f, 0, 0, "f0");
	assert_group(f, 1, 1, "f1");
	assert_group(f, 2, 2, "f2");
	fixture_free(f);
	f = fixture_3_10(3, 2); /* an activation begins: no frame yet */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_int_equal(f->result.groups, 2);
	assert_group(f, 0, 1, "f1");
	assert_group(f, 1, 2, "f2");
	fixture_free(f);
	f = fixture_3_10(2, 3); /* an activation ends: its frame is still linked */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_group(f, 0, 1, "f1");
	assert_group(f, 1, 2, "f2");
	fixture_free(f);
	f = fixture_3_10(3, 1);
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	assert_int_equal(f->result.locations, 1);
	fixture_free(f);
	f = fixture_3_10(3, 3);
	put_word(f->stack, 0x250 + 8, 0x7250); /* the object points to itself */
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 0);
	fixture_free(f);
}

static void test_python__an_address_is_used_again(void **state)
{
	struct fixture *f = fixture_3_11();
	uint8_t object[144] = {0}, text[64];
	const struct record_object record = {.address = CODE,
		.bytes = sizeof(object),
		.data = object,
		.text = {text, text, text},
		.text_bytes = {50, (uint32_t)put_str(text, 1, true, "g0", 2), 0}};

	(void)state;
	assert_int_equal(python_runtime.object(&f->python, &record), 0);
	assert_int_equal(python_merge(&f->python, &f->sample, &f->result), 1);
	assert_string_equal(
		profile_function(f->profile,
			profile_location(f->profile, f->result.location[0]).line[0].function)
			.name,
		"g0");
	fixture_free(f);
}

/*
 * The supervisor resends an object only after RUNTIME_OBJECTS_MOST others, so the analyst must know
 * that many, whichever it forgets, and also after an object was resent.
 */
static void test_python__the_last_objects_are_known(void **state)
{
	enum { MOST = RUNTIME_OBJECTS_MOST, ROUNDS = 4, STEP = 4099 };
	struct fixture *f = fixture_new(PYTHON_3_11);

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned first = round % 2 ? MOST / 2 : 2 * MOST;

		for (unsigned i = 0; i < MOST; i++)
			add_code(f, first + i + round);
		for (unsigned i = 0; i < MOST; i += STEP)
			assert_non_null(python_find_code(
				&f->python, CODE + (uint64_t)(first + i + round) * 0x1000));
		assert_true(f->python.codes <= (size_t)2 * MOST);
	}
	fixture_free(f);
}

static void test_python__a_version_that_describes_itself(void **state)
{
	/* first words of _Py_DebugOffsets, with the values of a CPython 3.13 */
	uint64_t word[64] = {0};
	struct python_layout l;

	(void)state;
	memcpy(word, "xdebugpy", 8);
	word[1] = 0x030d00f0;
	word[3] = 283320;
	word[5] = 632;
	word[6] = 194968;
	word[8] = 7264;
	word[9] = 7280;
	word[15] = 7752;
	word[17] = 7768;
	word[18] = 7760;
	word[21] = 8;
	word[23] = 72;
	word[24] = 152;
	word[25] = 160;
	word[26] = 232;
	word[29] = 8;
	word[31] = 56;
	word[33] = 70;
	word[35] = 112;
	word[37] = 128;
	word[38] = 136;
	word[39] = 68;
	word[43] = 208;
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_13, &l), 0);
	assert_int_equal(l.thread_frame, 72);
	assert_int_equal(l.thread_top, 240);
	assert_int_equal(l.code_start, 208);
	assert_int_equal(l.gil, 283320 - 194968 + 7752);
	assert_int_equal(l.gil_holder, 8);
	assert_int_equal(l.gil_locked, 16);
	assert_int_equal(l.tag, 0);
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, 300, PYTHON_3_13, &l), -EPROTO);
	word[2] = 1; /* built without a GIL */
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_13, &l),
		-ENOTSUP);
	word[2] = 0;
	word[23] = 100000;
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_13, &l),
		-EPROTO);
	word[23] = 72;
	word[15] = 194900; /* the lock is outside of the interpreter's state */
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_13, &l),
		-EPROTO);
	word[15] = 7752;
	word[1] = 0x030e00f0;
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_13, &l),
		-EPROTO);
}

/* Words of _Py_DebugOffsets by their index (@at), with the values of CPython 3.14.10. */
static void test_python__3_14_describes_itself(void **state)
{
	const struct {
		uint8_t at;
		uint32_t value;
	} known[] = {{1, 51251952}, {3, 316616}, {5, 808}, {6, 225864}, {8, 7272}, {9, 7344},
		{16, 7784}, {18, 7800}, {19, 7792}, {24, 8}, {26, 72}, {27, 152}, {28, 160},
		{29, 232}, {32, 8}, {33, 0}, {34, 56}, {36, 74}, {40, 112}, {42, 128}, {43, 136},
		{44, 68}, {48, 208}};
	uint64_t word[64] = {0};
	struct python_layout l;

	(void)state;
	memcpy(word, "xdebugpy", 8);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		word[known[i].at] = known[i].value;
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_14, &l), 0);
	assert_int_equal(l.thread_frame, 72);
	assert_int_equal(l.frame_owner, 74);
	assert_int_equal(l.gil, 90752 + 7784);
	assert_int_equal(l.tag, 3);
	assert_int_equal(
		python_layout_describe((const uint8_t *)word, sizeof(word), PYTHON_3_14 + 1, &l),
		-ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python__lines_are_those_that_the_interpreter_tells),
		cmocka_unit_test(test_python__damaged_lines_end),
		cmocka_unit_test(test_python__texts_become_utf8),
		cmocka_unit_test(test_python__both_texts_of_3_14),
		cmocka_unit_test(test_python__3_11_by_its_objects_on_the_stack),
		cmocka_unit_test(test_python__3_11_disagreements),
		cmocka_unit_test(test_python__3_11_of_a_truncated_stack),
		cmocka_unit_test(test_python__3_12_by_frames_on_the_stack),
		cmocka_unit_test(test_python__the_interpreters_own_code_is_none_of_python),
		cmocka_unit_test(test_python__3_10_by_its_objects_on_the_stack),
		cmocka_unit_test(test_python__an_address_is_used_again),
		cmocka_unit_test(test_python__the_last_objects_are_known),
		cmocka_unit_test(test_python__a_version_that_describes_itself),
		cmocka_unit_test(test_python__3_14_describes_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
