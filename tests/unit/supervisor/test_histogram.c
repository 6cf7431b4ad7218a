/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/calls/histogram.h"
#include "tests/unit/no_memory.h"

/* A position-independent program and library, and an executable that is not. */
static const char maps[] =
	"00400000-00401000 r--p 00000000 08:01 11                         /usr/bin/fixed\n"
	"00401000-00480000 r-xp 00001000 08:01 11                         /usr/bin/fixed\n"
	"55d0a000-55d0b000 r--p 00000000 08:01 12                         /usr/bin/pie\n"
	"55d0b000-55d0f000 r-xp 00001000 08:01 12                         /usr/bin/pie\n"
	"55d10000-55d20000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f0000001000-7f0000009000 r-xp 00001000 08:01 13                 /lib/libm.so.6\n"
	"7fff00000000-7fff00001000 rw-p 00000000 00:00 0 \n";

static void test_histogram__parses_regions(void **state)
{
	static const char *const bad[] = {"", "x", ":1-2:3", "abs:1-2", "abs:2-1:0x8000",
		"abs:1-1:9", "abs:1-2:1", "abs:1-2:0", "abs:1-2:0x8000:byte", "abs:-1-2:3",
		"abs:1-2:0x100000000", "abs:0-0:4", "lib:0-0:2", "abs:1-2:3:uint:4"};
	struct histogram h = {.regions = 0};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(histogram_add(&h, bad[i]), -EINVAL);
	assert_int_equal(histogram_add(&h, "abs:1-0x7fffffffffffffff:0x10000"), -E2BIG);
	assert_int_equal(h.regions, 0);
	assert_int_equal(histogram_add(&h, "libm.so.6:0x1f000-0x24000:0x10000:uint"), 0);
	assert_string_equal(h.region[0].object, "libm.so.6");
	assert_int_equal(h.region[0].start, 0x1f000);
	assert_int_equal(h.region[0].end, 0x24000);
	assert_int_equal(h.region[0].scale, 0x10000);
	assert_int_equal(h.region[0].element, 4);
	assert_int_equal(h.region[0].counters, 0x5000 / 4);
	assert_int_equal(histogram_add(&h, "/opt/a:b/c.so:4096-8192:32768"), 0);
	assert_string_equal(h.region[1].object, "/opt/a:b/c.so");
	assert_int_equal(h.region[1].element, 2);
	assert_int_equal(h.region[1].first, 0x5000 / 4);
	assert_int_equal(histogram_add(&h, "abs:0-0:2"), 0);
	assert_null(h.region[2].object);
	assert_int_equal(h.region[2].counters, 1);
	assert_int_equal(histogram_begin(&h), 0);
	free(h.count);
	assert_int_equal(histogram_add(&h, "abs:16-32:0x8000"), 0);
	assert_int_equal(histogram_begin(&h), -EINVAL);
	h.count = NULL;
	histogram_release(&h);
}

static void test_histogram__out_of_memory_changes_nothing(void **state)
{
	struct histogram h = {.regions = 0};

	(void)state;
	until_failure = 1;
	assert_int_equal(histogram_add(&h, "a.so:0x1000-0x1100:0x8000"), -ENOMEM);
	assert_int_equal(until_failure, 0);
	assert_int_equal(h.regions, 0);
	assert_int_equal(h.counts, 0);
	assert_int_equal(histogram_add(&h, "a.so:0x1000-0x1100:0x8000"), 0);
	histogram_release(&h);
}

static int64_t counter_of(const struct region_table *t, uint64_t pc)
{
	struct region_hit hit;

	return region_look_up(t, NULL, pc, &hit) ? (int64_t)(hit.address / 8) : -1;
}

static void test_histogram__finds_modules(void **state)
{
	struct histogram h = {.regions = 0};
	struct region_table *t;

	(void)state;
	/* After each region, or before it: its number of counters. */
	assert_int_equal(histogram_add(&h, "pie:0x1000-0x1100:0x8000"), 0);             /* 64 */
	assert_int_equal(histogram_add(&h, "fixed:0x401000-0x401100:0x10000:uint"), 0); /* 64 */
	/* 32 counters */
	assert_int_equal(histogram_add(&h, "libm.so.6:0x2000-0x2100:0x10000:uint64"), 0);
	assert_int_equal(histogram_add(&h, "m.so.6:0x2000-0x2100:0x8000"), 0); /* 64 */
	assert_int_equal(histogram_add(&h, "absent:0x2000-0x2100:0x8000"), 0); /* 64 */
	assert_int_equal(histogram_begin(&h), 0);
	assert_int_equal(h.counts, 64 + 64 + 32 + 64 + 64);
	assert_int_equal(histogram_resolve(&h, maps, &t), 0);
	assert_int_equal(counter_of(t, 0x55d0b000), 0);
	assert_int_equal(counter_of(t, 0x55d0b003), 0);
	assert_int_equal(counter_of(t, 0x55d0b004), 1);
	assert_int_equal(counter_of(t, 0x55d0b0ff), 63);
	assert_int_equal(counter_of(t, 0x55d0b100), -1);
	assert_int_equal(counter_of(t, 0x401000), 64);
	assert_int_equal(counter_of(t, 0x4010ff), 127);
	/* "m.so.6" is not the name of libm.so.6. */
	assert_int_equal(counter_of(t, 0x7f0000002000), 128);
	assert_int_equal(counter_of(t, 0x7f0000002008), 129);
	assert_int_equal(counter_of(t, 0x2000), -1);
	region_table_unref(t);
	histogram_release(&h);
}

static void test_histogram__prints_what_counted(void **state)
{
	struct histogram h = {.regions = 0};
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(file);
	assert_int_equal(histogram_add(&h, "a.so:0x1000-0x1009:0x8000"), 0);
	assert_int_equal(histogram_add(&h, "abs:0x2000-0x2010:0x10000:uint64"), 0);
	assert_int_equal(histogram_add(&h, "abs:0-0:2"), 0);
	assert_int_equal(histogram_begin(&h), 0);
	h.count[1] = 70000; /* more than 16 bits hold */
	h.count[2] = 1;     /* only its last byte belongs to the region */
	h.count[4] = 70000;
	h.count[5] = 3;
	assert_int_equal(histogram_print(&h, file), 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text,
		"object\tstart\tend\tcount\n"
		"a.so\t0x1004\t0x1008\t65535\n"
		"a.so\t0x1008\t0x1009\t1\n"
		"abs\t0x2008\t0x2010\t70000\n"
		"[overflow]\t0x0\t0x0\t3\n");
	free(text);
	histogram_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram__parses_regions),
		cmocka_unit_test(test_histogram__out_of_memory_changes_nothing),
		cmocka_unit_test(test_histogram__finds_modules),
		cmocka_unit_test(test_histogram__prints_what_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
