/* SPDX-License-Identifier: MIT */
/* Stacks of a Go program (go_fixture.h) on the system's stack, not a goroutine's. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"
#include "symbolizer/unwind/unwind.h"
#include "tests/unit/go_fixture.h"

enum { OWN = 0x700000, GOROUTINE = 0x900000, RSP = 7, REGISTERS = 17 };

struct loaded {
	struct symbolizer *symbolizer;
	struct space *space;
	struct unwinder *unwinder;
	char path[32];
	uint64_t own[16], goroutine[16], reg[REGISTERS];
};

static void load(struct loaded *l)
{
	const struct symbolizer_options options = {
		.size = sizeof(options), .debug_directories = "/nonexistent"};
	struct go_fixture go;
	int fd;

	*l = (struct loaded){.path = "/tmp/test_unwind_go.XXXXXX"};
	go_build(&go, true, true);
	fd = mkstemp(l->path);
	assert_true(fd >= 0 && write(fd, go.data, GO_BYTES) == GO_BYTES);
	(void)close(fd);
	free(go.data);
	assert_int_equal(symbolizer_new(&options, &l->symbolizer), 0);
	assert_int_equal(space_new(l->symbolizer, 0, &l->space), 0);
	assert_int_equal(space_set_file(l->space, l->path), 0);
	assert_int_equal(unwinder_new(l->symbolizer, &l->unwinder), 0);
}

static void unload(struct loaded *l)
{
	unwinder_free(l->unwinder);
	space_free(l->space);
	symbolizer_free(l->symbolizer);
	(void)unlink(l->path);
}

/* main.main, called by systemstack on the thread's own stack, has a frame of 24 bytes. */
static struct unwind_result unwind(struct loaded *l, uint64_t left_pc, uint64_t left_sp)
{
	struct unwind_input input = {.machine = EM_X86_64,
		.registers = REGISTERS,
		.reg = l->reg,
		.pc = GO_TEXT + 0x10,
		.sp = OWN,
		.piece = {{OWN, (uint8_t *)l->own, sizeof(l->own)},
			{GOROUTINE, (uint8_t *)l->goroutine, sizeof(l->goroutine)}},
		.left_pc = left_pc,
		.left_sp = left_sp};
	struct unwind_result result;

	l->own[3] = GO_TEXT + 0x50;
	l->reg[REGISTERS - 1] = input.pc;
	l->reg[RSP] = input.sp;
	assert_int_equal(unwind_stack(l->unwinder, l->space, &input, &result), 0);
	return result;
}

static void test_unwind_go__goes_on_where_systemstack_was_called(void **state)
{
	struct unwind_result result;
	struct loaded l;

	(void)state;
	load(&l);
	/* Return addresses of systemstack (in main.main) and of main.main (in goexit). */
	l.goroutine[2] = GO_TEXT + 0x20;
	l.goroutine[6] = GO_TEXT + 0x61;
	result = unwind(&l, GO_TEXT + 0x70, GOROUTINE + 16);
	assert_int_equal(result.end, UNWIND_COMPLETE);
	assert_int_equal(result.n, 4);
	assert_int_equal(result.frame[1].pc, GO_TEXT + 0x4f);
	assert_int_equal(result.frame[2].pc, GO_TEXT + 0x1f);
	assert_int_equal(result.frame[2].sp, GOROUTINE + 24);
	assert_int_equal(result.frame[3].pc, GO_TEXT + 0x60);
	assert_int_equal(result.guessed, 0);
	unload(&l);
}

/* In its first instructions, a function whose stack was too short called morestack. */
static void test_unwind_go__goes_on_in_the_function_that_needs_a_longer_stack(void **state)
{
	struct unwind_result result;
	struct loaded l;

	(void)state;
	load(&l);
	l.goroutine[2] = GO_TEXT + 0x61;
	result = unwind(&l, GO_TEXT + 0x3f, GOROUTINE + 16);
	assert_int_equal(result.end, UNWIND_COMPLETE);
	assert_int_equal(result.n, 4);
	assert_int_equal(result.frame[2].pc, GO_TEXT + 0x3e);
	assert_int_equal(result.frame[3].pc, GO_TEXT + 0x60);
	unload(&l);
}

static void test_unwind_go__ends_where_the_goroutine_is_not_known(void **state)
{
	struct unwind_result result;
	struct loaded l;

	(void)state;
	load(&l);
	result = unwind(&l, 0, 0);
	assert_int_equal(result.end, UNWIND_INCOMPLETE);
	assert_int_equal(result.n, 2);
	/* A goroutine's frame leads to systemstack again: only one switch is valid. */
	l.goroutine[2] = GO_TEXT + 0x50;
	result = unwind(&l, GO_TEXT + 0x70, GOROUTINE + 16);
	assert_int_equal(result.end, UNWIND_INCOMPLETE);
	assert_int_equal(result.n, 3);
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_go__goes_on_where_systemstack_was_called),
		cmocka_unit_test(test_unwind_go__goes_on_in_the_function_that_needs_a_longer_stack),
		cmocka_unit_test(test_unwind_go__ends_where_the_goroutine_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
