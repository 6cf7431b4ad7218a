/* SPDX-License-Identifier: MIT */
/* Frames of virtual threads in the heap, in memory of tests/made_hotspot.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/made_hotspot.h"

enum { BARRIER = MADE_STUB + MADE_HEADER + MADE_CODE_AT, CONT = 0x6000, CHUNK = 0x6100 };

static struct made *begin(uint32_t version)
{
	struct made *m = made_new(version);

	made_put(m, MADE_STUB + MADE_HEADER + 48, made_name(m, "StubRoutines (continuation stubs)"),
		8);
	/* The caller of the frames in the heap. */
	m->stack[8] = 0x1234;
	m->stack[9] = CODE + 32;
	return m;
}

/*
 * Writes three frames from @word of the chunks on: compiled with an inlined function, interpreted,
 * compiled. Returns the index of the word after them.
 */
static unsigned put_frames(struct made *m, unsigned word)
{
	const uint64_t interpreter = AT(MADE_INTERPRETER) + MADE_HEADER + 0x100;
	uint64_t *at = &m->stack[MADE_CHUNKS + word];

	at[0] = 21;
	at[2] = CODE + 64;
	at[5] = 10; /* words from here to the frame pointer of the interpreted caller */
	at[6] = interpreter;
	/* address of the interpreted frame's bytecode */
	at[7] = AT(MADE_OUTER) + 0x80 + 48 + 5;
	at[8] = 2; /* words from its fp to its local variables, which the caller's frame follows */
	at[12] = AT(MADE_OUTER);
	at[16] = CODE + 32;
	return word + 22;
}

static int step(struct made *m, uint64_t left_fp, struct unwind_runtime_caller *ret_caller)
{
	const struct unwind_runtime_frame frame = {.pc = AT(BARRIER),
		.sp = STACK(0),
		.fp = STACK(8),
		.left_pc = left_fp,
		.left_sp = left_fp ? CHUNKS_BASE : 0};

	return made_step(m, frame, ret_caller);
}

static void assert_frames(const struct made *m, const struct unwind_runtime_caller *caller)
{
	assert_string_equal(made_text(m, caller->inner[0]),
		"p.Inner.inner p/Inner.java:13; p.Outer.outer p/Outer.java:10");
	assert_string_equal(made_text(m, caller->inner[1]), "p.Outer.outer p/Outer.java:13");
}

static void test_hotspot_chunks__stand_in_the_place_of_the_gap(void **state)
{
	static const uint32_t versions[] = {25, 26, 27};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct made *m = begin(versions[i]);
		struct unwind_runtime_caller caller;

		m->stack[MADE_CHUNKS + put_frames(m, 0)] = 0;
		assert_int_equal(step(m, STACK(8), &caller), 1);
		assert_true(caller.found);
		assert_int_equal(caller.pc, CODE + 32);
		assert_false(caller.gap);
		assert_int_equal(caller.inners, 2);
		assert_frames(m, &caller);
		assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:10");
		made_free(m);
	}
}

/* The frames before a damaged or missing one stay. */
static void test_hotspot_chunks__what_is_missing_is_a_gap(void **state)
{
	static const struct {
		unsigned word;
		uint64_t value;
		size_t inners;
	} damage[] = {{0, 0, 0}, {0, UINT64_MAX, 0}, {0, 1 << 20, 3}, {2, 0x1234, 0}, {5, 0, 1},
		{5, UINT64_MAX, 1}, {5, UINT64_MAX / 8, 1}, {5, 2, 1}, {6, AT(BARRIER), 1},
		{8, UINT64_MAX, 2}, {8, UINT64_MAX / 8, 2}, {16, 0, 2}, {22, UINT64_MAX, 3}};

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		struct made *m = begin(25);
		struct unwind_runtime_caller caller;

		m->stack[MADE_CHUNKS + put_frames(m, 0)] = 0;
		m->stack[MADE_CHUNKS + damage[i].word] = damage[i].value;
		assert_int_equal(step(m, STACK(8), &caller), 1);
		assert_true(caller.found);
		assert_true(caller.gap);
		assert_int_equal(caller.inners, damage[i].inners);
		assert_string_equal(made_text(m, caller.tag), "[frames in the heap] :0");
		made_free(m);
	}
}

/* These chunks were copied for another frame pointer. */
static void test_hotspot_chunks__of_another_place_are_not_taken(void **state)
{
	struct made *m = begin(25);
	struct unwind_runtime_caller caller;

	(void)state;
	m->stack[MADE_CHUNKS + put_frames(m, 0)] = 0;
	assert_int_equal(step(m, STACK(9), &caller), 1);
	assert_true(caller.gap);
	assert_int_equal(caller.inners, 0);
	made_free(m);
}

/* A pointer as ZGC stores it, in one of four colours; 0: as other collectors store it. */
static uint64_t coloured(uint64_t address, unsigned colour)
{
	return colour ? address << (12 + colour) | UINT64_C(1) << (11 + colour) | 0x550 : address;
}

/* A continuation and its chunk. Narrow pointers count from 0x1000 below the memory. */
static void put_objects(struct made *m, enum chunk_layout layout, unsigned colour)
{
	const struct chunk_fields f = chunk_fields(layout);
	const uint64_t base = AT(0) - 0x1000;

	made_put(m, MADE_VALUES + 24, base, 8);
	made_put(m, MADE_VALUES + 32, 3, 4);
	if (f.wide) {
		made_put(m, CONT + f.tail, coloured(AT(CHUNK), colour), 8);
		made_put(m, CHUNK + f.cont, coloured(AT(CONT), colour), 8);
	} else {
		made_put(m, CONT + f.tail, (AT(CHUNK) - base) / 8, 4);
		made_put(m, CHUNK + f.cont, (AT(CONT) - base) / 8, 4);
	}
	made_put(m, CHUNK + 4, layout < CHUNK_NARROW_COMPACT ? 0x7f : 0x1a0800, 4);
	made_put(m, CHUNK + f.size, 100, 4);
	made_put(m, CHUNK + f.sp, 40, 4);
	made_put(m, CHUNK + f.bottom, 98, 4);
	/* The entry frame begins at STACK(0); this word of it points to the continuation. */
	m->stack[2] = AT(CONT);
}

static void test_hotspot_chunks__the_supervisor_is_told_where(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5 * CHUNK_LAYOUTS; i++) {
		const enum chunk_layout layout = i / 5;
		const unsigned colour = i % 5;
		const bool wide = chunk_fields(layout).wide;
		struct made *m = begin(i % 2 ? 25 : 21);
		struct unwind_runtime_caller caller;
		size_t served;

		put_objects(m, layout, colour);
		assert_int_equal(step(m, 0, &caller), 1);
		assert_true(caller.gap);
		made_serve(m);
		assert_int_equal(m->told[0], wide ? 0 : AT(0) - 0x1000);
		assert_int_equal(m->told[1],
			AT(BARRIER) | (uint64_t)layout << REQUEST_CHUNKS_LAYOUT |
				(uint64_t)(wide ? colour > 0 : 3) << REQUEST_CHUNKS_SHIFT |
				UINT64_C(6) << REQUEST_CHUNKS_BELOW);
		/* At the second sample the copy is known: the supervisor is asked nothing. */
		served = m->served;
		assert_int_equal(step(m, 0, &caller), 1);
		made_serve(m);
		assert_int_equal(m->served, served);
		made_free(m);
	}
}

/* A chunk that does not point back is another object, or the thread has run on: tried later. */
static void test_hotspot_chunks__nothing_is_told_that_does_not_fit(void **state)
{
	struct made *m = begin(25);
	struct unwind_runtime_caller caller;

	(void)state;
	put_objects(m, CHUNK_NARROW, 0);
	made_put(m, CHUNK + chunk_fields(CHUNK_NARROW).cont, 77, 4);
	assert_int_equal(step(m, 0, &caller), 1);
	made_serve(m);
	assert_int_equal(m->told[1], 0);
	put_objects(m, CHUNK_NARROW, 0);
	m->hotspot.now_ns += 10000000;
	m->now_ns += 10000000;
	assert_int_equal(step(m, 0, &caller), 1);
	made_serve(m);
	assert_int_not_equal(m->told[1], 0);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot_chunks__stand_in_the_place_of_the_gap),
		cmocka_unit_test(test_hotspot_chunks__what_is_missing_is_a_gap),
		cmocka_unit_test(test_hotspot_chunks__of_another_place_are_not_taken),
		cmocka_unit_test(test_hotspot_chunks__the_supervisor_is_told_where),
		cmocka_unit_test(test_hotspot_chunks__nothing_is_told_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
