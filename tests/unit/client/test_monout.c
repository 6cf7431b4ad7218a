/* SPDX-License-Identifier: MIT */
/* Reports read the files that monitor() writes: client/monitor_file.c, profile/monout.c. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/monitor.h"
#include "profile/monout.h"
#include "tests/unit/monout_fixture.h"

/*
 * Each byte of text in turn has ticks in its counter, by profil()'s rule. The address that is read
 * from the mon.out must have that counter, too.
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

/* A counter of 16 bits is too small: gprof adds up histograms of one range. */
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
	struct monitor monitor = monitor_of(CALL_HPUX, LOW, counter, 1);

	(void)state;
	assert_int_equal(symlink("elsewhere", "mon.out"), 0);
	assert_int_equal(monitor_write_mon(&monitor), -ELOOP);
	assert_int_equal(access("elsewhere", F_OK), -1);
	assert_int_equal(remove("mon.out"), 0);
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
	return 1; /* the program comes first */
}

/* Addresses in the file are those of the ELF file. */
static void test_monout__a_program_at_any_address(void **state)
{
	uint16_t counter[1] = {1};
	uint64_t text = (uint64_t)(uintptr_t)test_monout__a_program_at_any_address, bias, low, high;
	struct monitor monitor = monitor_of(CALL_HPUX, text, counter, 1);

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

/* An empty prefix counts as none. The file may get descriptor 0. */
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
	assert_int_equal(take_file("gmon.out"), 20 + 41 + 2); /* one histogram suffices */
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

/* The files are larger than the buffer. */
static void test_monout__files_of_any_size(void **state)
{
	enum { FUNCTIONS = 300, COUNTERS = 5000 };
	static uint64_t cells[2 * FUNCTIONS];
	static uint16_t counter[COUNTERS];
	struct monitor monitor = {.dialect = CALL_HPUX,
		.low = LOW,
		.high = LOW + 2 * COUNTERS,
		.functions = FUNCTIONS,
		.cells = cells,
		.counter = counter,
		.counters = COUNTERS,
		.element = 2,
		.scale = 0xffff};
	uint32_t functions;
	uint16_t scale;

	(void)state;
	for (unsigned i = 0; i < 2 * FUNCTIONS; i++)
		cells[i] = 1000000 + i;
	for (unsigned i = 0; i < COUNTERS; i++)
		counter[i] = (uint16_t)(i + 1);
	errno = EIO; /* errno of an earlier call */
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(take_file("mon.out"), 24 + sizeof(cells) + sizeof(counter));
	memcpy(&functions, data + 16, 4);
	memcpy(&scale, data + 22, 2);
	assert_int_equal(functions, FUNCTIONS);
	assert_int_equal(scale, 0xffff);
	assert_memory_equal(data + 24, cells, sizeof(cells));
	assert_memory_equal(data + 24 + sizeof(cells), counter, sizeof(counter));
	errno = EIO;
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	assert_int_equal(take_file("gmon.out"), 20 + 41 + sizeof(counter));
	assert_memory_equal(data, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	assert_memory_equal(data + 20 + 25, "seconds\0\0\0\0\0\0\0\0s", 16);
	assert_memory_equal(data + 20 + 41, counter, sizeof(counter));
}

static void test_monout__a_file_that_cannot_grow(void **state)
{
	static uint16_t counter[5000];
	struct monitor monitor = monitor_of(CALL_HPUX, LOW, counter, 5000);
	struct rlimit limit, some;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	/* The write fails at once, in the middle, at the end. */
	for (unsigned bytes = 0; bytes <= 9000; bytes += 3000) {
		some = (struct rlimit){bytes, limit.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &some), 0);
		assert_int_equal(monitor_write_mon(&monitor), -EFBIG);
		assert_int_equal(monitor_write_gmon(&monitor), -EFBIG);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		assert_int_equal(take_file("mon.out"), bytes);
		assert_int_equal(take_file("gmon.out"), bytes);
	}
	assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}

struct ends {
	/* load bias, first byte, and first byte after the program */
	uint64_t bias, first, behind;
};

static int find_ends(struct dl_phdr_info *info, size_t size, void *context)
{
	struct ends *ends = context;

	(void)size;
	*ends = (struct ends){.bias = info->dlpi_addr, .first = UINT64_MAX};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + p->p_vaddr < ends->first)
			ends->first = info->dlpi_addr + p->p_vaddr;
		if (info->dlpi_addr + p->p_vaddr + p->p_memsz > ends->behind)
			ends->behind = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return 1;
}

/* The program's first byte is its own; the first byte after its end is not. */
static void test_monout__the_ends_of_a_program(void **state)
{
	uint16_t counter[1] = {1};
	struct monitor monitor = {.dialect = CALL_HPUX,
		.counter = counter,
		.counters = 1,
		.element = 2,
		.scale = 0xffff};
	struct ends ends;

	(void)state;
	(void)dl_iterate_phdr(find_ends, &ends);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t bias = i < 2 ? ends.bias : 0, low;

		monitor.low = i == 0 ? ends.first : ends.behind - (i < 2);
		monitor.high = monitor.low + 2;
		assert_int_equal(monitor_write_mon(&monitor), 0);
		(void)take_file("mon.out");
		memcpy(&low, data, 8);
		assert_int_equal(low, monitor.low - bias);
	}
}

static void test_monout__text_of_a_library(void **state)
{
	uint16_t counter[1] = {1};
	uint64_t text = (uint64_t)(uintptr_t)getppid, low;
	struct monitor monitor = monitor_of(CALL_HPUX, text, counter, 1);
	struct ends program;
	Dl_info info;

	(void)state;
	(void)dl_iterate_phdr(find_ends, &program);
	assert_true(text < program.first || text >= program.behind);
	assert_true(dladdr((const void *)(uintptr_t)text, &info));
	assert_int_equal(monitor_write_mon(&monitor), 0);
	(void)take_file("mon.out");
	memcpy(&low, data, 8);
	assert_int_equal(low, text - (uintptr_t)info.dli_fbase);
}

/* PROFDIR and the prefix, with one byte and with very many. */
static void test_monout__directories_and_prefixes(void **state)
{
	uint16_t counter[1] = {1};
	struct monitor monitor = monitor_of(CALL_SYSV, LOW, counter, 1);
	char name[300], in_root[302], here[2 * 508 + 1] = "", prefix[sizeof(here) + 1];

	(void)state;
	(void)snprintf(
		name, sizeof(name), "%d.%.255s", (int)getpid(), program_invocation_short_name);
	(void)snprintf(in_root, sizeof(in_root), "/%s", name);
	for (unsigned i = 0; i < sizeof(here) - 1; i += 2)
		memcpy(here + i, "./", 3);
	assert_int_equal(setenv("PROFDIR", ".", 1), 0);
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(take_file(name), 24 + 2);
	assert_int_equal(setenv("PROFDIR", here, 1), 0);
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(take_file(name), 24 + 2);
	monitor.dialect = CALL_AIX; /* AIX has no PROFDIR */
	assert_int_equal(monitor_write_mon(&monitor), 0);
	assert_int_equal(take_file("mon.out"), 24 + 2);
	/* PROFDIR became empty while monitor() was on: the file goes to the working directory. */
	monitor.dialect = CALL_SYSV;
	assert_int_equal(setenv("PROFDIR", "", 1), 0);
	assert_int_equal(monitor_write_mon(&monitor), 0);
	(void)remove(in_root); /* left by an earlier run that failed */
	assert_int_equal(take_file("mon.out"), 24 + 2);
	assert_int_equal(unsetenv("PROFDIR"), 0);
	assert_false(monitor_is_unwanted(CALL_SYSV));

	assert_int_equal(setenv("GMON_OUT_PREFIX", "m", 1), 0);
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	(void)snprintf(name, sizeof(name), "m.%d", (int)getpid());
	assert_int_equal(take_file(name), 20 + 41 + 2);
	(void)snprintf(prefix, sizeof(prefix), "%sm", here);
	assert_int_equal(setenv("GMON_OUT_PREFIX", prefix, 1), 0);
	assert_int_equal(monitor_write_gmon(&monitor), 0);
	assert_int_equal(take_file(name), 20 + 41 + 2);
	assert_int_equal(unsetenv("GMON_OUT_PREFIX"), 0);
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
		cmocka_unit_test(test_monout__files_of_any_size),
		cmocka_unit_test(test_monout__a_file_that_cannot_grow),
		cmocka_unit_test(test_monout__the_ends_of_a_program),
		cmocka_unit_test(test_monout__text_of_a_library),
		cmocka_unit_test(test_monout__directories_and_prefixes),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
