/* SPDX-License-Identifier: MIT */
/* What monitor() writes is what reports read: client/monitor_file.c and profile/monout.c. */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/monitor.h"
#include "profile/monout.h"

/* No object is there: the addresses go to the file as they are. */
#define LOW UINT64_C(0x10)

static uint8_t data[1 << 20];

static size_t take_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n;

	assert_non_null(file);
	n = fread(data, 1, sizeof(data), file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(remove(path), 0);
	return n;
}

/*
 * For each byte of text: the counter that profil's rule picks for it, alone, is read back as an
 * address with that counter.
 */
static void check_each_byte(enum call_dialect dialect, uint64_t text, size_t counters)
{
	uint16_t counter[512] = {0};
	uint64_t words = (text + 1) / 2;
	struct monitor monitor = {.dialect = dialect,
		.low = LOW,
		.high = LOW + text,
		.functions = 0,
		.counter = counter,
		.counters = counters,
		.element = 2,
		.scale = (uint16_t)((counters * 65536 - 1) / words)};

	for (uint64_t d = 0; d < text; d++) {
		uint64_t index = d * monitor.scale / 131072, address;
		const char *problem = NULL;
		struct monout monout;
		uint32_t ticks;
		size_t at = 0;

		if (index >= counters)
			continue;
		counter[index] = (uint16_t)(d + 1);
		assert_int_equal(monitor_write_mon(&monitor), 0);
		assert_int_equal(monout_open(data, take_file("mon.out"), &monout, &problem), 0);
		assert_int_equal(monout.hz, dialect == CALL_AIX ? 60 : 100);
		assert_int_equal(monout.counters, counters);
		assert_true(monout_next(&monout, &at, &address, &ticks));
		assert_int_equal(ticks, d + 1);
		assert_int_equal((address - LOW) * monitor.scale / 131072, index);
		assert_false(monout_next(&monout, &at, &address, &ticks));
		counter[index] = 0;
	}
}

static void test_monout__reads_what_monitor_writes(void **state)
{
	(void)state;
	check_each_byte(CALL_SYSV, 64, 32);
	check_each_byte(CALL_SYSV, 101, 7);
	check_each_byte(CALL_AIX, 300, 149);
	check_each_byte(CALL_HPUX, 200, 1);
}

static void test_monout__call_counts_are_passed_over(void **state)
{
	uint64_t cells[4] = {LOW, 7, 0, 0}, address;
	uint32_t counter[4] = {0, 0, 70000, 0}, ticks;
	struct monitor monitor = {.dialect = CALL_NATIVE,
		.low = LOW,
		.high = LOW + 16,
		.functions = 2,
		.cells = cells,
		.counter = counter,
		.counters = 4,
		.element = 4,
		.scale = 0x8000};
	const char *problem = NULL;
	struct monout monout;
	size_t at = 0;

	(void)state;
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(take_file("mon.out"), 24 + 32 + 8);
	assert_int_equal(monout_open(data, 24 + 32 + 8, &monout, &problem), 0);
	assert_true(monout_next(&monout, &at, &address, &ticks));
	assert_int_equal(ticks, UINT16_MAX);
	assert_int_equal((address - LOW) / 4, 2);
	assert_int_equal(monout_open(data, 24 + 31, &monout, &problem), -EINVAL);
	assert_non_null(strstr(problem, "middle of its call counts"));
}

/* 16 bits are too few: gprof adds up histograms of one range. */
static void test_monout__gmon_has_as_many_histograms_as_it_takes(void **state)
{
	uint32_t counter[2] = {70000, 140000}, sum[2] = {0, 0};
	struct monitor monitor = {.dialect = CALL_NATIVE,
		.low = LOW,
		.high = LOW + 8,
		.counter = counter,
		.counters = 2,
		.element = 4,
		.scale = 0x8000};

	(void)state;
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	assert_int_equal(take_file("gmon.out"), 20 + 3 * (41 + 4));
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t *histogram = data + 20 + (size_t)i * 45;
		uint64_t low, high;
		uint32_t bins, rate;
		uint16_t bin[2];

		memcpy(&low, histogram + 1, 8);
		memcpy(&high, histogram + 9, 8);
		memcpy(&bins, histogram + 17, 4);
		memcpy(&rate, histogram + 21, 4);
		memcpy(bin, histogram + 41, 4);
		assert_int_equal(histogram[0], 0);
		assert_int_equal(low, LOW);
		assert_int_equal(high, LOW + 8);
		assert_int_equal(bins, 2);
		assert_int_equal(rate, 100);
		sum[0] += bin[0];
		sum[1] += bin[1];
	}
	assert_int_equal(sum[0], 70000);
	assert_int_equal(sum[1], 140000);
}

static void test_monout__a_link_is_not_followed(void **state)
{
	uint16_t counter[1] = {1};
	struct monitor monitor = {.dialect = CALL_HPUX,
		.low = LOW,
		.high = LOW + 2,
		.counter = counter,
		.counters = 1,
		.element = 2,
		.scale = 0xffff};

	(void)state;
	assert_int_equal(symlink("elsewhere", "mon.out"), 0);
	assert_int_equal(monitor_write_mon(&monitor), -ELOOP);
	assert_int_equal(access("elsewhere", F_OK), -1);
	assert_int_equal(remove("mon.out"), 0);
	/* HP-UX knows no PROFDIR. */
	assert_int_equal(setenv("PROFDIR", "", 1), 0);
	assert_false(monitor_is_unwanted(CALL_HPUX));
	assert_false(monitor_is_unwanted(CALL_AIX));
	assert_true(monitor_is_unwanted(CALL_SYSV));
	assert_true(monitor_is_unwanted(CALL_IRIX));
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(remove("mon.out"), 0);
	assert_int_equal(unsetenv("PROFDIR"), 0);
}

static int find_bias(struct dl_phdr_info *info, size_t size, void *ret_bias)
{
	(void)size;
	*(uint64_t *)ret_bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

/* The addresses are those of the ELF file. */
static void test_monout__a_program_at_any_address(void **state)
{
	uint16_t counter[1] = {1};
	uint64_t text = (uint64_t)(uintptr_t)test_monout__a_program_at_any_address, bias, low, high;
	struct monitor monitor = {.dialect = CALL_HPUX,
		.low = text,
		.high = text + 2,
		.counter = counter,
		.counters = 1,
		.element = 2,
		.scale = 0xffff};

	(void)state;
	(void)dl_iterate_phdr(find_bias, &bias);
	assert_int_equal(monitor_write_mon(&monitor), 0);
	(void)take_file("mon.out");
	memcpy(&low, data, 8);
	memcpy(&high, data + 8, 8);
	assert_int_equal(low, text - bias);
	assert_int_equal(high, text + 2 - bias);
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	(void)take_file("gmon.out");
	memcpy(&low, data + 21, 8);
	memcpy(&high, data + 29, 8);
	assert_int_equal(low, text - bias);
	assert_int_equal(high, text + 2 - bias);
}

/* An empty prefix is none; descriptor 0 is one as any other. */
static void test_monout__gmon_is_named_by_its_prefix(void **state)
{
	uint16_t counter[1] = {UINT16_MAX};
	struct monitor monitor = {.dialect = CALL_NATIVE,
		.low = LOW,
		.high = LOW + 4,
		.counter = counter,
		.counters = 1,
		.element = 2,
		.scale = 0x8000};
	int input = dup(0);
	char name[32];

	(void)state;
	(void)close(0);
	assert_int_equal(setenv("GMON_OUT_PREFIX", "", 1), 0);
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	assert_int_equal(take_file("gmon.out"), 20 + 41 + 2); /* one histogram holds it */
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		assert_int_equal(close(input), 0);
	}
	assert_int_equal(setenv("GMON_OUT_PREFIX", "mine", 1), 0);
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	(void)snprintf(name, sizeof(name), "mine.%d", (int)getpid());
	assert_int_equal(take_file(name), 20 + 41 + 2);
	assert_int_equal(unsetenv("GMON_OUT_PREFIX"), 0);
}

static char directory[] = "/tmp/test_monout.XXXXXX";

static int enter(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chdir(directory) < 0;
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") < 0 || rmdir(directory) < 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monout__reads_what_monitor_writes),
		cmocka_unit_test(test_monout__call_counts_are_passed_over),
		cmocka_unit_test(test_monout__gmon_has_as_many_histograms_as_it_takes),
		cmocka_unit_test(test_monout__a_link_is_not_followed),
		cmocka_unit_test(test_monout__a_program_at_any_address),
		cmocka_unit_test(test_monout__gmon_is_named_by_its_prefix),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
