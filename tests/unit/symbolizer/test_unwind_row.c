/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "symbolizer/unwind/unwind_expr.h"
#include "symbolizer/unwind/unwind_row.h"
#include "symbolizer/unwind_table.h"

static struct unwind_entry entry_of(const uint8_t *initial, size_t n, const uint8_t *code, size_t m)
{
	return (struct unwind_entry){.low = 0x1000,
		.high = 0x1100,
		.initial = initial,
		.initial_end = initial + n,
		.code = code,
		.code_end = code + m,
		.code_align = 1,
		.data_align = -8,
		.return_column = 16,
		.wide = true};
}

/*
 * gcc's call frame information (DWARF 5, 6.4.2) of push %rbp; mov %rsp,%rbp; push %rbx; …; pop;
 * pop; ret. Each address has its row.
 */
static void test_unwind__rows_follow_a_prologue(void **state)
{
	/* def_cfa r7+8; offset r16 at cfa-8 */
	static const uint8_t initial[] = {0x0c, 7, 8, 0x90, 1};
	static const uint8_t code[] = {
		0x41,       /* advance 1: 0x1001 */
		0x0e, 16,   /* def_cfa_offset 16 */
		0x86, 2,    /* offset r6 at cfa-16 */
		0x43,       /* advance 3: 0x1004 */
		0x0d, 6,    /* def_cfa_register r6 */
		0x0a,       /* remember_state */
		0x02, 0x40, /* advance_loc1 64: 0x1044 */
		0x0c, 7, 8, /* def_cfa r7+8 */
		0xc6,       /* restore r6 */
		0x41,       /* advance 1: 0x1045 */
		0x0b,       /* restore_state */
	};
	struct unwind_entry entry = entry_of(initial, sizeof(initial), code, sizeof(code));
	struct unwind_row row;

	(void)state;
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.cfa.value, 8);
	assert_int_equal(row.rule[16].how, UNWIND_AT);
	assert_int_equal(row.rule[16].value, -8);
	assert_int_equal(row.rule[6].how, UNWIND_SAME);
	assert_int_equal(unwind_row_make(&entry, 0x1003, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.cfa.value, 16);
	assert_int_equal(row.rule[6].value, -16);
	assert_int_equal(unwind_row_make(&entry, 0x1004, &row), 0);
	assert_int_equal(row.cfa.reg, 6);
	assert_int_equal(row.cfa.value, 16);
	assert_int_equal(unwind_row_make(&entry, 0x1044, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.rule[6].how, UNWIND_SAME);
	assert_int_equal(unwind_row_make(&entry, 0x10ff, &row), 0);
	assert_int_equal(row.cfa.reg, 6);
	assert_int_equal(row.rule[6].value, -16);
}

static void test_unwind__nonsense_makes_no_row(void **state)
{
	static const uint8_t unknown[] = {0x3f};
	static const uint8_t cut[] = {0x0c, 7};
	static const uint8_t pops[] = {0x0b};
	/* def_cfa_expression {breg7 8}, then def_cfa_offset, which has no register to add to */
	static const uint8_t offset_of_expression[] = {0x0f, 2, 0x77, 8, 0x0e, 16};
	struct unwind_row row;
	struct unwind_entry entry = entry_of(unknown, 1, NULL, 0);

	(void)state;
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(cut, 2, NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(pops, 1, NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(offset_of_expression, sizeof(offset_of_expression), NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(NULL, 0, NULL, 0); /* no CFA */
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
}

static int read_word(void *context, uint64_t address, unsigned bytes, uint64_t *ret_value)
{
	(void)context;
	if (address != 0x2000)
		return -EFAULT;
	*ret_value = bytes == 8 ? 0x1122334455667788 : 0x88;
	return 0;
}

static int run(const uint8_t *code, size_t bytes, uint64_t *ret_value)
{
	uint64_t reg[UNWIND_REGISTERS] = {[7] = 0x1ff8, [16] = 0x40100b};
	const struct unwind_expr_context context = {reg, 1 << 7 | 1 << 16, read_word, NULL};

	return unwind_expr_run(&context, code, bytes, false, 0, ret_value);
}

static void test_unwind__expressions(void **state)
{
	/* breg7 8; deref: reads the word at 0x2000 */
	static const uint8_t load[] = {0x77, 8, 0x06};
	/* linkers' for .plt: breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus */
	static const uint8_t plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	static const uint8_t unknown_register[] = {0x73, 0};
	static const uint8_t underflow[] = {0x22};
	static const uint8_t fault[] = {0x31, 0x06};
	static const uint8_t by_zero[] = {0x31, 0x30, 0x1b};
	static const uint8_t least_by_minus_one[] = {
		0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b};
	static const uint8_t for_ever[] = {0x2f, 0xfd, 0xff};
	static const uint8_t far_jump[] = {0x2f, 0x00, 0x80};
	uint64_t value = 0;

	(void)state;
	assert_int_equal(run(load, sizeof(load), &value), 0);
	assert_true(value == 0x1122334455667788);
	assert_int_equal(run(plt, sizeof(plt), &value), 0);
	assert_int_equal(value, 0x2008); /* one word more, as 0xb >= 11 */
	assert_int_equal(run(unknown_register, 2, &value), -ENOEXEC);
	assert_int_equal(run(underflow, 1, &value), -ENOEXEC);
	assert_int_equal(run(fault, 2, &value), -EFAULT);
	assert_int_equal(run(by_zero, 3, &value), -ENOEXEC);
	assert_int_equal(run(least_by_minus_one, sizeof(least_by_minus_one), &value), 0);
	assert_true(value == UINT64_C(1) << 63);
	assert_int_equal(run(for_ever, 3, &value), -ENOEXEC);
	assert_int_equal(run(far_jump, 3, &value), -ENOEXEC);
	assert_int_equal(run(NULL, 0, &value), -ENOEXEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind__rows_follow_a_prologue),
		cmocka_unit_test(test_unwind__nonsense_makes_no_row),
		cmocka_unit_test(test_unwind__expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
