/* SPDX-License-Identifier: MIT */
/* Copies frames of virtual threads. The test's own remote_peek() reads memory from a table here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "proto/chunk_layout.h"
#include "proto/request.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/chunks.h"
#include "supervisor/target/stack.h"

enum { BASE = 0x100000, BYTES = 0x4000, CONT = BASE + 0x100, CHUNK = BASE + 0x400 };
enum { PARENT = BASE + 0x1000, STACK = 0x700000, STACK_WORDS = 64, BELOW = 7, ROOM = 4096 };
#define BARRIER UINT64_C(0x7f1234567890)

static uint8_t memory[BYTES];
static uint64_t stack_word[STACK_WORDS];
static unsigned reads;

ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	(void)remote;
	reads++;
	if (at < BASE || at - BASE > sizeof(memory) || n > sizeof(memory) - (at - BASE))
		return -EFAULT;
	memcpy(to, memory + (at - BASE), n);
	return (ssize_t)n;
}

static void put(uint64_t at, uint64_t value, size_t bytes)
{
	memcpy(memory + (at - BASE), &value, bytes);
}

/* Bits with which ZGC colours pointers; 0: not ZGC. */
static unsigned colour;

static struct chunks_place place_of(enum chunk_layout layout)
{
	const struct chunk_fields f = chunk_fields(layout);
	struct chunks_place place = {0};

	chunks_place_set(&place,
		&(struct request){.type = REQUEST_CHUNKS_BASE, .value = f.wide ? 0 : BASE - 0x800});
	chunks_place_set(&place,
		&(struct request){.type = REQUEST_CHUNKS,
			.value = BARRIER | (uint64_t)layout << REQUEST_CHUNKS_LAYOUT |
				(uint64_t)(f.wide ? colour > 0 : 3) << REQUEST_CHUNKS_SHIFT |
				(uint64_t)BELOW << REQUEST_CHUNKS_BELOW});
	return place;
}

static void put_pointer(const struct chunk_fields *f, uint64_t at, uint64_t to)
{
	if (!f->wide)
		put(at, to ? (to - (BASE - 0x800)) / 8 : 0, 4);
	else if (to && colour)
		put(at, to << (12 + colour) | UINT64_C(1) << (11 + colour) | 0x550, 8);
	else
		put(at, to, 8);
}

/* Writes a chunk of 32 words, used from @sp to @bottom. Each word contains its position. */
static void put_chunk(
	const struct chunk_fields *f, uint64_t at, uint64_t parent, uint32_t sp, uint32_t bottom)
{
	for (uint32_t i = 0; i < 32; i++)
		put(at + f->stack + 8 * i, at + i, 8);
	put(at + f->size, 32, 4);
	put(at + f->sp, sp, 4);
	put(at + f->bottom, bottom, 4);
	put_pointer(f, at + f->parent, parent);
	put_pointer(f, at + f->cont, CONT);
}

/* The barrier is word 21 of the stack; below it, the frame pointer points to word 40. */
static void set_up(enum chunk_layout layout)
{
	const struct chunk_fields f = chunk_fields(layout);

	memset(memory, 0, sizeof(memory));
	memset(stack_word, 0, sizeof(stack_word));
	reads = 0;
	stack_word[20] = STACK + 8 * 40;
	stack_word[21] = BARRIER;
	stack_word[40 - BELOW] = CONT;
	put_pointer(&f, CONT + f.tail, CHUNK);
	put_chunk(&f, CHUNK, PARENT, 10, 30);
	put_chunk(&f, PARENT, 0, 20, 32);
}

static size_t copy(enum chunk_layout layout, uint64_t *to, size_t most, uint64_t *ret_fp)
{
	const struct chunks_place place = place_of(layout);
	const struct stack_piece stack = {(uint8_t *)stack_word, STACK, sizeof(stack_word)};

	*ret_fp = 0;
	return chunks_copy(&place, NULL, &stack, STACK + 16, (uint8_t *)to, most, ret_fp);
}

static void test_chunks__all_are_copied(void **state)
{
	(void)state;
	for (int i = 0; i < 5 * CHUNK_LAYOUTS; i++) {
		const int layout = i / 5;
		uint64_t to[ROOM / 8], fp;

		colour = (unsigned)i % 5;
		set_up((enum chunk_layout)layout);
		assert_int_equal(copy((enum chunk_layout)layout, to, sizeof(to), &fp),
			8 * (1 + 22 + 1 + 14 + 1));
		assert_int_equal(fp, STACK + 8 * 40);
		assert_int_equal(to[0], 22);
		assert_int_equal(to[1], CHUNK + 8);
		assert_int_equal(to[22], CHUNK + 29);
		assert_int_equal(to[23], 14);
		assert_int_equal(to[24], PARENT + 18);
		assert_int_equal(to[37], PARENT + 31);
		assert_int_equal(to[38], 0);
	}
	colour = 0;
}

static void test_chunks__empty_ones_are_passed(void **state)
{
	const struct chunk_fields f = chunk_fields(CHUNK_WIDE);
	uint64_t to[ROOM / 8], fp;

	(void)state;
	set_up(CHUNK_WIDE);
	put(CHUNK + f.sp, 30, 4);
	assert_int_equal(copy(CHUNK_WIDE, to, sizeof(to), &fp), 8 * (1 + 14 + 1));
	assert_int_equal(to[1], PARENT + 18);
	put(PARENT + f.sp, 32, 4);
	assert_int_equal(copy(CHUNK_WIDE, to, sizeof(to), &fp), 0);
}

/* Barriers of earlier calls may still be on the stack: only one that leads to chunks counts. */
static void test_chunks__the_right_barrier(void **state)
{
	uint64_t to[ROOM / 8], fp;

	(void)state;
	set_up(CHUNK_NARROW);
	stack_word[1] = BARRIER; /* below the stack pointer */
	stack_word[4] = 0x1234;
	stack_word[5] = BARRIER;
	stack_word[8] = STACK + 8 * 50;
	stack_word[9] = BARRIER;
	assert_int_not_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 0);
	assert_int_equal(fp, STACK + 8 * 40);
	stack_word[21] = 0;
	assert_int_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 0);
}

/* Memory that cannot be read, or does not fit, ends the copy, even for a missing last word. */
static void test_chunks__a_part(void **state)
{
	const struct chunk_fields f = chunk_fields(CHUNK_NARROW);
	uint64_t to[ROOM / 8], fp;

	(void)state;
	set_up(CHUNK_NARROW);
	put(PARENT + f.cont, 77, 4);
	assert_int_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 8 * 23);
	set_up(CHUNK_NARROW);
	put_pointer(&f, CHUNK + f.parent, BASE + BYTES + 8);
	assert_int_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 8 * 23);
	set_up(CHUNK_NARROW);
	assert_int_equal(copy(CHUNK_NARROW, to, 8 * 38, &fp), 8 * 38);
	assert_int_equal(copy(CHUNK_NARROW, to, 8 * 37, &fp), 8 * 23);
	assert_int_equal(copy(CHUNK_NARROW, to, 8 * 22, &fp), 0);
	assert_int_equal(copy(CHUNK_NARROW, to, 0, &fp), 0);
}

static void test_chunks__numbers_that_make_no_sense(void **state)
{
	const struct chunk_fields f = chunk_fields(CHUNK_NARROW);
	const struct {
		uint8_t at;
		uint32_t value;
	} bad[] = {{f.sp, 0}, {f.sp, 1}, {f.sp, 31}, {f.sp, UINT32_MAX}, {f.bottom, 33},
		{f.bottom, UINT32_MAX}, {f.size, 29}, {f.cont, 0}};
	uint64_t to[ROOM / 8], fp;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		set_up(CHUNK_NARROW);
		put(CHUNK + bad[i].at, bad[i].value, 4);
		assert_int_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 0);
	}
	set_up(CHUNK_NARROW);
	put(CHUNK + f.size, UINT32_MAX, 4);
	put(CHUNK + f.bottom, UINT32_MAX, 4);
	assert_int_equal(copy(CHUNK_NARROW, to, sizeof(to), &fp), 0);
}

/* Chunks in a circle, and a stack full of barriers, must cause few reads. */
static void test_chunks__are_bounded(void **state)
{
	const struct chunk_fields f = chunk_fields(CHUNK_WIDE);
	uint64_t to[ROOM / 8], fp;

	(void)state;
	set_up(CHUNK_WIDE);
	put_pointer(&f, PARENT + f.parent, CHUNK);
	put(CHUNK + f.sp, 30, 4);
	put(PARENT + f.sp, 32, 4);
	for (unsigned i = 2; i < 30; i += 2) {
		stack_word[i] = STACK + 8 * 40;
		stack_word[i + 1] = BARRIER;
	}
	assert_int_equal(copy(CHUNK_WIDE, to, sizeof(to), &fp), 0);
	assert_in_range(reads, 1, 4 * 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks__all_are_copied),
		cmocka_unit_test(test_chunks__empty_ones_are_passed),
		cmocka_unit_test(test_chunks__the_right_barrier),
		cmocka_unit_test(test_chunks__a_part),
		cmocka_unit_test(test_chunks__numbers_that_make_no_sense),
		cmocka_unit_test(test_chunks__are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
