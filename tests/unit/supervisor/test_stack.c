/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "supervisor/os/proc_maps.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/stack.h"

static const char maps[] =
	"1000-3000 r-xp 00000000 08:01 12    /bin/x\n"
	"3000-5000 rw-p 00002000 08:01 12    /bin/x\n"
	"8000-9000 ---p 00000000 00:00 0 \n"
	"9000-b000 rw-p 00000000 00:00 0 \n"
	"7ffd0000-7ffd2100 rw-p 00000000 00:00 0    [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n";

static const struct remote *own_memory(void)
{
	static struct remote own;

	own.tid = (int)getpid();
	return &own;
}

static void test_stack__ranges_are_the_writable_lines(void **state)
{
	struct stack_ranges ranges = {0};

	(void)state;
	assert_int_equal(stack_ranges_set(&ranges, maps), 0);
	assert_int_equal(ranges.n, 3);
	assert_int_equal(stack_ranges_find(&ranges, 0x3000)->end, 0x5000);
	assert_null(stack_ranges_find(&ranges, 0x5000));
	assert_null(stack_ranges_find(&ranges, 0x1000));
	assert_int_equal(stack_ranges_find(&ranges, 0xafff)->start, 0x9000);
	/* The main stack's range may grow downwards, no other one's. */
	assert_null(stack_ranges_find(&ranges, 0x8fff));
	assert_int_equal(stack_ranges_find(&ranges, 0x7ffcfff8)->end, 0x7ffd2100);
	assert_null(stack_ranges_find(&ranges, 0x7ffd2100));
	/* Memory above a guard is a stack; memory between files and the heap is not. */
	assert_true(stack_ranges_find(&ranges, 0xafff)->is_stack);
	assert_true(stack_ranges_find(&ranges, 0x7ffd0000)->is_stack);
	assert_false(stack_ranges_find(&ranges, 0x3000)->is_stack);
	stack_ranges_release(&ranges);
}

static void test_stack__the_environment_is_no_stack(void **state)
{
	struct stack_ranges ranges = {.bottom = 0x7ffd1f40};
	struct mapped_range grown = {.start = 0x7ffb0000, .end = 0x7ffd2100};

	(void)state;
	assert_int_equal(stack_ranges_set(&ranges, maps), 0);
	assert_int_equal(stack_ranges_find(&ranges, 0x7ffd0010)->end, 0x7ffd1f40);
	assert_null(stack_ranges_find(&ranges, 0x7ffd1f40));
	assert_int_equal(stack_ranges_find(&ranges, 0xafff)->end, 0xb000);
	/* The end stays after the kernel was asked about the mapping. */
	assert_int_equal(stack_ranges_correct(&ranges, 0x7ffb0010, &grown, true, 5), 0);
	assert_int_equal(stack_ranges_find(&ranges, 0x7ffb0010)->end, 0x7ffd1f40);
	assert_int_equal(ranges.n, 3);
	stack_ranges_release(&ranges);
}

static void test_stack__ranges_are_corrected(void **state)
{
	struct stack_ranges ranges = {0};
	struct mapped_range wide = {.start = 0x4000, .end = 0xa000};
	struct mapped_range fresh = {.start = 0x20000, .end = 0x30000};

	(void)state;
	assert_int_equal(stack_ranges_set(&ranges, maps), 0);
	assert_int_equal(stack_ranges_correct(&ranges, 0x4800, &wide, false, 5), 0);
	assert_int_equal(ranges.n, 2);
	assert_int_equal(stack_ranges_find(&ranges, 0x9fff)->start, 0x4000);
	assert_true(stack_ranges_find(&ranges, 0x9fff)->check_ns > 5);
	assert_int_equal(stack_ranges_correct(&ranges, 0x20010, &fresh, false, 5), 0);
	assert_int_equal(ranges.n, 3);
	assert_int_equal(stack_ranges_find(&ranges, 0x20010)->end, 0x30000);
	assert_false(stack_ranges_find(&ranges, 0x20010)->is_stack);
	assert_int_equal(stack_ranges_correct(&ranges, 0x20010, &fresh, true, 5), 0);
	assert_true(stack_ranges_find(&ranges, 0x20010)->is_stack);
	/* A range where nothing is mapped any more is removed. */
	assert_int_equal(stack_ranges_correct(&ranges, 0x20010, NULL, false, 5), 0);
	assert_null(stack_ranges_find(&ranges, 0x20010));
	assert_int_equal(ranges.n, 2);
	stack_ranges_release(&ranges);
}

/* Two pages with some content, and nothing behind. */
static uint8_t *two_pages(void)
{
	uint8_t *at =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	for (size_t i = 0; i < 8192; i++)
		at[i] = (uint8_t)(i * 7);
	assert_int_equal(munmap(at + 8192, 4096), 0);
	return at;
}

static struct arch_snapshot at_sp(uint64_t sp)
{
	return (struct arch_snapshot){.machine = arch_native.machine, .sp = sp};
}

static void test_stack__copies_from_the_red_zone_to_the_end(void **state)
{
	uint8_t *at = two_pages();
	uint64_t start = (uintptr_t)at;
	struct stack_range range = {.start = start, .end = start + 8192};
	struct stack_ranges ranges = {.range = &range, .n = 1};
	struct stack_home home = {.start = start, .end = start + 8192};
	struct arch_snapshot snapshot = at_sp(start + 1000);
	struct stack_copy copy;

	(void)state;
	assert_int_equal(stack_copy_init(&copy, 65536), 0);
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_true(copy.inner.base == start + 1000 - arch_native.red_zone_bytes);
	assert_int_equal(copy.inner.bytes, 8192 - 1000 + arch_native.red_zone_bytes);
	assert_memory_equal(
		copy.inner.data, at + 1000 - arch_native.red_zone_bytes, copy.inner.bytes);
	assert_true(copy.limit == start + 8192);
	assert_false(copy.truncated);
	assert_int_equal(copy.outer.bytes, 0);
	/* Of a range that has shrunk, the existing part is copied. */
	range.end += 4096;
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, 8192 - 1000 + arch_native.red_zone_bytes);
	/* Without a known range, the mapped pages are copied. */
	ranges.n = 0;
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, 8192 - 1000 + arch_native.red_zone_bytes);
	assert_true(copy.limit == 0);
	/* Nothing is copied if the stack pointer and the thread's own stack are both unmapped. */
	snapshot = at_sp(16);
	home = (struct stack_home){.sp = start + 2 * 4096};
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, 0);
	stack_copy_release(&copy);
	(void)munmap(at, 8192);
}

/* Of a stack in the heap, as much as the last copies needed, on both sides of a signal frame. */
static void test_stack__in_the_heap_as_much_as_is_needed(void **state)
{
	enum { BYTES = 256 * 1024 };
	uint8_t *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = (uintptr_t)at, sp = start + 10000, zone = arch_native.red_zone_bytes;
	struct stack_range range = {.start = start, .end = start + BYTES};
	struct stack_ranges ranges = {.range = &range, .n = 1};
	struct stack_home home = {.start = start, .end = start + BYTES};
	struct arch_snapshot snapshot = at_sp(sp);
	struct stack_copy copy;

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_int_equal(stack_copy_init(&copy, 1 << 20), 0);
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, 65536 + zone);
	assert_true(copy.truncated);
	home.need = 8192;
	for (unsigned i = 0; i < 4; i++) {
		snapshot.sp = sp + 500 * i;
		stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
		assert_true(copy.inner.base == snapshot.sp - zone);
		assert_int_equal(copy.inner.bytes, 8192 + zone);
		assert_true(copy.truncated);
	}
	/* A mapping known as a stack is copied whole; with copy.whole, so is any stack. */
	range.is_stack = true;
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, start + BYTES - snapshot.sp + zone);
	assert_false(copy.truncated);
	range.is_stack = false;
	copy.whole = true;
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, start + BYTES - snapshot.sp + zone);
	stack_copy_release(&copy);
	assert_int_equal(munmap(at, BYTES), 0);
}

static void test_stack__cap_keeps_the_part_nearest_to_sp(void **state)
{
	uint8_t *at = two_pages();
	uint64_t start = (uintptr_t)at;
	struct stack_range range = {.start = start, .end = start + 8192};
	struct stack_ranges ranges = {.range = &range, .n = 1};
	struct stack_home home = {0};
	struct arch_snapshot snapshot = at_sp(start + 256);
	struct stack_copy copy;

	(void)state;
	assert_int_equal(stack_copy_init(&copy, 4096), 0);
	stack_copy_take(&copy, own_memory(), &snapshot, &ranges, &home);
	assert_int_equal(copy.inner.bytes, 4096);
	assert_true(copy.truncated);
	assert_memory_equal(copy.inner.data, at + 256 - arch_native.red_zone_bytes, 4096);
	/* Nothing there looks like a signal frame, so the stack is noted as the thread's own. */
	assert_true(home.start == start && home.end == start + 8192);
	stack_copy_release(&copy);
	(void)munmap(at, 8192);
}

struct seen {
	struct stack_copy copy;
	struct stack_ranges ranges;
	struct stack_home home;
};
static struct seen *seen;

static void handler(int number)
{
	uint64_t here;
	struct arch_snapshot snapshot = at_sp((uintptr_t)&here);

	(void)number;
	stack_copy_take(&seen->copy, own_memory(), &snapshot, &seen->ranges, &seen->home);
}

/* A handler on @alternate must find this function's frame in the copy. */
__attribute__((noinline)) static void assert_interrupted_is_found(
	struct seen *own, void *alternate, size_t bytes)
{
	volatile uint64_t marker = UINT64_C(0x1122334455667788);
	stack_t stack = {.ss_sp = alternate, .ss_size = bytes};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	const uint64_t value = marker;
	size_t found = 0;

	seen = own;
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	own->home.sp = (uintptr_t)&marker;
	/* In the second round, the thread's own stack is known from the first. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(raise(SIGUSR1), 0);
		assert_true(own->copy.inner.bytes > 0);
		assert_true(own->copy.inner.base > (uintptr_t)alternate);
		assert_true(own->copy.inner.base < (uintptr_t)alternate + bytes);
		assert_true(own->copy.outer.bytes > 0);
		for (size_t j = 0; j + 8 <= own->copy.outer.bytes; j++)
			found += memcmp(own->copy.outer.data + j, &value, 8) == 0;
		assert_true(found >= 1);
		found = 0;
	}
	stack.ss_flags = SS_DISABLE;
	(void)sigaltstack(&stack, NULL);
}

static void begin_seen(struct seen *own, char **text)
{
	const struct stack_range *main_stack;
	size_t room = 0;

	assert_true(proc_maps_read((int)getpid(), text, &room) > 0);
	assert_int_equal(stack_ranges_set(&own->ranges, *text), 0);
	assert_int_equal(stack_copy_init(&own->copy, 1 << 20), 0);
	main_stack = stack_ranges_find(&own->ranges, (uintptr_t)&room);
	assert_non_null(main_stack);
	own->home = (struct stack_home){.start = main_stack->start, .end = main_stack->end};
}

static void end_seen(struct seen *own, char *text)
{
	stack_copy_release(&own->copy);
	stack_ranges_release(&own->ranges);
	free(text);
}

/* The stack that a handler on an alternate stack interrupted is copied, too. */
static void test_stack__finds_what_a_handler_interrupted(void **state)
{
	void *alternate =
		mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct seen own = {0};
	char *text = NULL;
	uint64_t start;

	(void)state;
	begin_seen(&own, &text);
	start = own.home.start;
	assert_interrupted_is_found(&own, alternate, 65536);
	assert_true(own.home.start == start);
	end_seen(&own, text);
}

/* A young thread: maps were not read since its stack was mapped. */
static void test_stack__finds_it_on_a_stack_that_is_not_known(void **state)
{
	void *alternate =
		mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct seen own = {0};
	char *text = NULL;

	(void)state;
	begin_seen(&own, &text);
	own.home = (struct stack_home){0};
	own.ranges.n = 0;
	assert_interrupted_is_found(&own, alternate, 65536);
	/* The handler's stack is not taken for the thread's own. */
	assert_true(own.home.start == 0 && own.home.end == 0);
	end_seen(&own, text);
}

/* The alternate stack is a variable of a caller: both are in one mapping. */
static void test_stack__finds_it_below_an_alternate_stack_of_a_caller(void **state)
{
	char alternate[65536];
	struct seen own = {0};
	char *text = NULL;

	(void)state;
	begin_seen(&own, &text);
	assert_interrupted_is_found(&own, alternate, sizeof(alternate));
	end_seen(&own, text);
}

/* Words that match a signal frame except for its flags are no signal frame. */
static void test_stack__words_that_look_like_a_signal_frame(void **state)
{
	const size_t bytes = 65536, size = 4096;
	uint8_t *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t other = (uintptr_t)&bytes & ~UINT64_C(7), start = (uintptr_t)at;
	struct arch_snapshot snapshot = at_sp(start + 1024);
	static const uint64_t flags[] = {0x1e009000, 2, 0};
	struct seen own = {0};
	char *text = NULL;

	(void)state;
	assert_true(at != MAP_FAILED);
	begin_seen(&own, &text);
	memcpy(at + 2048, &start, 8);
	memcpy(at + 2048 + 16, &size, 8);
	memcpy(at + 2048 + arch_native.signal_sp_offset, &other, 8);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		own.home = (struct stack_home){0};
		memcpy(at + 2048 + 8, &flags[i], 8);
		stack_copy_take(&own.copy, own_memory(), &snapshot, &own.ranges, &own.home);
		assert_int_equal(own.copy.outer.bytes > 0, flags[i] == 0);
	}
	end_seen(&own, text);
	assert_int_equal(munmap(at, bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack__ranges_are_the_writable_lines),
		cmocka_unit_test(test_stack__the_environment_is_no_stack),
		cmocka_unit_test(test_stack__ranges_are_corrected),
		cmocka_unit_test(test_stack__copies_from_the_red_zone_to_the_end),
		cmocka_unit_test(test_stack__in_the_heap_as_much_as_is_needed),
		cmocka_unit_test(test_stack__cap_keeps_the_part_nearest_to_sp),
		cmocka_unit_test(test_stack__finds_what_a_handler_interrupted),
		cmocka_unit_test(test_stack__finds_it_on_a_stack_that_is_not_known),
		cmocka_unit_test(test_stack__finds_it_below_an_alternate_stack_of_a_caller),
		cmocka_unit_test(test_stack__words_that_look_like_a_signal_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
