/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/rangelist.h"

struct range {
	uint64_t low, high;
};

static void expect(struct rangelist list, const struct range *want, size_t n)
{
	uint64_t low, high;

	for (size_t i = 0; i < n; i++) {
		assert_true(rangelist_next(&list, &low, &high));
		assert_true(low == want[i].low);
		assert_true(high == want[i].high);
	}
	assert_false(rangelist_next(&list, &low, &high));
}

static void test_rangelist__reads_pairs_on_a_base(void **state)
{
	/* The example of DWARF 4, appendix D.2: offsets, a new base, an end. */
	static const uint32_t words[] = {0x10, 0x20, UINT32_MAX, 0x8000, 0x0, 0x4, 0, 0, 9, 9};
	static const struct range want[] = {{0x1010, 0x1020}, {0x8000, 0x8004}};
	const struct rangelist_unit unit = {.lists = {(const uint8_t *)words, sizeof(words)},
		.low_pc = 0x1000,
		.address_bytes = 4,
		.offset_bytes = 4};

	(void)state;
	expect(rangelist_at(&unit, 0), want, 2);
	expect(rangelist_at(&unit, sizeof(words)), NULL, 0);
	expect(rangelist_at(&unit, UINT64_MAX), NULL, 0);
}

/* One entry of each kind in DWARF 5, table 7.30. */
static const uint8_t entries[] = {
	0x04, 0x10, 0x90, 0x01,             /* offset_pair 0x10, 0x90 */
	0x05, 0x00, 0x20, 0, 0, 0, 0, 0, 0, /* base_address 0x2000 */
	0x04, 0x01, 0x02,                   /* offset_pair 1, 2 */
	0x06, 0x00, 0x30, 0, 0, 0, 0, 0, 0, 0x08, 0x30, 0, 0, 0, 0, 0, 0, /* start_end */
	0x07, 0x00, 0x40, 0, 0, 0, 0, 0, 0, 0x05, /* start_length 0x4000, 5 */
	0x01, 0x01,                               /* base_addressx 1 */
	0x04, 0x00, 0x03,                         /* offset_pair 0, 3 */
	0x02, 0x00, 0x01,                         /* startx_endx 0, 1 */
	0x03, 0x00, 0x07,                         /* startx_length 0, 7 */
	0x00,                                     /* end_of_list */
};
static const uint64_t addresses[] = {0xdead, 0x5000, 0x6000};
static const struct range all[] = {{0x1010, 0x1090}, {0x2001, 0x2002}, {0x3000, 0x3008},
	{0x4000, 0x4005}, {0x6000, 0x6003}, {0x5000, 0x6000}, {0x5000, 0x5007}};

static struct rangelist_unit unit5(const uint8_t *data, uint64_t bytes)
{
	return (struct rangelist_unit){.lists = {data, bytes},
		.addresses = {(const uint8_t *)addresses, sizeof(addresses)},
		.address_base = 8,
		.low_pc = 0x1000,
		.address_bytes = 8,
		.offset_bytes = 4,
		.version5 = true};
}

static void test_rangelist__reads_every_kind_of_entry(void **state)
{
	const struct rangelist_unit unit = unit5(entries, sizeof(entries));

	(void)state;
	expect(rangelist_at(&unit, 0), all, sizeof(all) / sizeof(all[0]));
}

static void test_rangelist__reads_no_byte_past_the_section(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes <= sizeof(entries); bytes++) {
		uint8_t *copy = malloc(bytes ? bytes : 1);
		struct rangelist_unit unit = unit5(copy, bytes);
		struct rangelist list = rangelist_at(&unit, 0);
		uint64_t low, high;
		size_t n = 0;

		assert_non_null(copy);
		memcpy(copy, entries, bytes);
		for (; rangelist_next(&list, &low, &high); n++) {
			assert_true(low == all[n].low);
			assert_true(high == all[n].high);
		}
		assert_in_range(n, 0, sizeof(all) / sizeof(all[0]));
		free(copy);
	}
}

static void test_rangelist__finds_a_list_by_its_index(void **state)
{
	/* Two offsets, relative to the table's start, then a list. */
	static const uint8_t table[] = {
		0xff, 0xff, 8, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0x04, 0x01, 0x02, 0x00};
	static const struct range want[] = {{0x1001, 0x1002}};
	struct rangelist_unit unit = unit5(table, sizeof(table));
	struct rangelist list;

	(void)state;
	unit.lists_base = 2;
	assert_true(rangelist_indexed(&unit, 0, &list));
	expect(list, want, 1);
	assert_false(rangelist_indexed(&unit, 1, &list));
	assert_false(rangelist_indexed(&unit, 1000, &list));
	assert_false(rangelist_indexed(&unit, UINT64_MAX, &list));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rangelist__reads_pairs_on_a_base),
		cmocka_unit_test(test_rangelist__reads_every_kind_of_entry),
		cmocka_unit_test(test_rangelist__reads_no_byte_past_the_section),
		cmocka_unit_test(test_rangelist__finds_a_list_by_its_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
