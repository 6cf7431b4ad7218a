/* SPDX-License-Identifier: MIT */
/* Finds a goroutine's stack. The test's own remote_peek() reads memory from a table here. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "supervisor/os/arch.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/goroutine.h"

enum { BASE = 0x100000, WORDS = 512, POINTER = BASE + 0x100, OWN = BASE + 0x200 };
enum { USER = BASE + 0x300, THREAD = BASE + 0x400, R12 = 12 };

static uint64_t word[WORDS];
static unsigned reads;

ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	(void)remote;
	reads++;
	if (at < BASE || at - BASE > sizeof(word) || n > sizeof(word) - (at - BASE))
		return -EFAULT;
	memcpy(to, (uint8_t *)word + (at - BASE), n);
	return (ssize_t)n;
}

static void set(uint64_t at, uint64_t value)
{
	word[(at - BASE) / 8] = value;
}

static void set_goroutine(uint64_t at, uint64_t start, uint64_t end, uint64_t sp, uint64_t pc)
{
	const uint64_t g[] = {start, end, 0, 0, 0, 0, THREAD, sp, pc};

	for (size_t i = 0; i < sizeof(g) / sizeof(*g); i++)
		set(at + 8 * i, g[i]);
}

/* A thread with its own stack at 0x700000 works for a goroutine with a stack at 0x900000. */
static void set_up(uint64_t g, unsigned current)
{
	memset(word, 0, sizeof(word));
	reads = 0;
	set(POINTER - 8, g);
	set_goroutine(OWN, 0x700000, 0x704000, 0, 0);
	set_goroutine(USER, 0x900000, 0x902000, 0x901800, 0x401000);
	set(THREAD, OWN);
	set(THREAD + 8 * current, USER);
}

static struct goroutine find(uint64_t sp, uint64_t r12)
{
	struct arch_snapshot snapshot = {
		.machine = EM_X86_64, .registers = 17, .sp = sp, .thread_pointer = POINTER};
	struct goroutine goroutine;

	snapshot.reg[R12] = r12;
	goroutine_find(NULL, &snapshot, 8, &goroutine);
	return goroutine;
}

static void test_goroutine__its_stack_ends_where_it_says(void **state)
{
	struct goroutine g;

	(void)state;
	set_up(USER, 24);
	g = find(0x901000, 0);
	assert_int_equal(g.end, 0x902000);
	assert_int_equal(g.left_sp, 0);
}

static void test_goroutine__on_the_threads_stack_it_was_left(void **state)
{
	(void)state;
	/* The current goroutine's pointer is word 24 of the thread in Go 1.19, then 23. */
	for (unsigned current = 23; current <= 24; current++) {
		struct goroutine g;

		set_up(OWN, current);
		g = find(0x703000, 0);
		assert_int_equal(g.end, 0x704000);
		assert_int_equal(g.left_sp, 0x901800);
		assert_int_equal(g.left_pc, 0x401000);
		assert_int_equal(g.left_end, 0x902000);
		/* On a thread created by C the runtime only estimates the stack's bounds. */
		g = find(0x780000, 0);
		assert_int_equal(g.end, 0);
		assert_int_equal(g.left_sp, 0x901800);
	}
}

static void test_goroutine__in_the_vdso_a_register_has_it(void **state)
{
	struct goroutine g;

	(void)state;
	set_up(USER, 24);
	g = find(0x703000, 0x901400);
	assert_int_equal(g.end, 0);
	assert_int_equal(g.left_sp, 0x901400);
	assert_int_equal(g.left_end, 0x902000);
	assert_int_equal(g.left_pc, 0);
}

static void test_goroutine__a_thread_without_work_has_none(void **state)
{
	struct goroutine g;

	(void)state;
	set_up(OWN, 24);
	set(THREAD + 8 * 24, 0);
	g = find(0x703000, 0);
	assert_int_equal(g.end, 0x704000);
	assert_int_equal(g.left_sp, 0);
}

static void test_goroutine__believes_nothing_that_does_not_fit(void **state)
{
	static const struct {
		uint64_t at, value;
	} changes[] = {
		{POINTER - 8, 0},            /* no goroutine yet */
		{POINTER - 8, UINT64_MAX},   /* a wild pointer */
		{OWN, 0x704000},             /* an empty stack */
		{OWN + 8, UINT64_MAX},       /* a stack without an end */
		{THREAD, USER},              /* not the thread's own goroutine */
		{OWN + 48, 8},               /* no thread */
		{USER + 48, THREAD + 8},     /* another thread's goroutine */
		{USER + 56, 0x902000},       /* its saved stack pointer is outside its stack */
		{THREAD + 8 * 24, OWN},      /* the thread's own goroutine */
		{THREAD + 8 * 24, BASE + 3}, /* a pointer that is not aligned */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct goroutine g;

		set_up(OWN, 24);
		set(changes[i].at, changes[i].value);
		g = find(0x703000, 0);
		assert_int_equal(g.left_sp, 0);
		assert_int_equal(g.end, i >= 4 ? 0x704000 : 0);
	}
	/* Reads are bounded, however many words look like pointers. */
	set_up(OWN, 24);
	for (unsigned i = 1; i < 28; i++)
		set(THREAD + 8 * i, BASE + 0x800 + 8 * i);
	(void)find(0x703000, 0);
	assert_in_range(reads, 1, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goroutine__its_stack_ends_where_it_says),
		cmocka_unit_test(test_goroutine__on_the_threads_stack_it_was_left),
		cmocka_unit_test(test_goroutine__in_the_vdso_a_register_has_it),
		cmocka_unit_test(test_goroutine__a_thread_without_work_has_none),
		cmocka_unit_test(test_goroutine__believes_nothing_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
