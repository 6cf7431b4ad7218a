/* SPDX-License-Identifier: MIT */
/* A mon.out of any origin is read or refused: profile/monout.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/monitor.h"
#include "profile/monout.h"
#include "tests/unit/monout_fixture.h"

/* A mon.out without call counts, with counters 1, 2, 3 and so on; 9 other bytes follow. */
static size_t make_mon(uint64_t low, uint64_t high, uint16_t hz, uint16_t scale, uint16_t counters)
{
	memset(data, 0, 24);
	memcpy(data, &low, 8);
	memcpy(data + 8, &high, 8);
	memcpy(data + 20, &hz, 2);
	memcpy(data + 22, &scale, 2);
	for (uint16_t i = 0; i < counters; i++)
		memcpy(data + 24 + 2 * i, &(uint16_t){(uint16_t)(i + 1)}, 2);
	memset(data + 24 + 2 * counters, 0xff, 9);
	return 24 + 2 * (size_t)counters;
}

/* Why the file is refused; "": it is not. */
static const char *problem_of(size_t bytes)
{
	const char *problem = "";
	struct monout monout;
	int r = monout_open(data, bytes, &monout, &problem);

	assert_int_equal(r, *problem ? -EINVAL : 0);
	return problem;
}

static void test_monout__what_does_not_hold_together_is_refused(void **state)
{
	const char *foreign = "it is no mon.out that monitor() of sprofil has written";
	const char *unfit = "its counters do not fit its addresses";
	int32_t calls = -1;
	size_t bytes;

	(void)state;
	assert_string_equal(problem_of(make_mon(LOW, LOW + 5, 1, 2, 3)), "");
	assert_string_equal(problem_of(make_mon(LOW, LOW + 5, 1, 2, 4)), unfit);
	assert_string_equal(problem_of(make_mon(LOW, LOW + 4, 1, 2, 2)), "");
	assert_string_equal(problem_of(make_mon(LOW, LOW + 4, 1, 2, 3)), unfit);
	assert_string_equal(problem_of(make_mon(LOW, LOW, 1, 2, 1)), foreign);
	assert_string_equal(problem_of(make_mon(LOW + 4, LOW, 1, 2, 2)), foreign);
	assert_string_equal(problem_of(make_mon(LOW, LOW + 4, 0, 2, 2)), foreign);
	assert_string_equal(problem_of(make_mon(LOW, LOW + 4, 1, 1, 2)), foreign);
	bytes = make_mon(LOW, LOW + 4, 1, 2, 2);
	memcpy(data + 16, &calls, 4);
	assert_string_equal(problem_of(bytes), foreign);
}

/* Cut anywhere, the file is refused: no counter may be lost silently. */
static void test_monout__a_part_of_a_file_is_refused(void **state)
{
	uint64_t cells[4] = {LOW, 7, LOW + 8, 1};
	uint16_t counter[64] = {0};
	struct monitor monitor = {.dialect = CALL_HPUX,
		.low = LOW,
		.high = LOW + 201,
		.functions = 2,
		.cells = cells,
		.counter = counter,
		.element = 2};

	(void)state;
	for (monitor.counters = 1; monitor.counters <= 64; monitor.counters++) {
		size_t head = 24 + sizeof(cells), all = head + 2 * monitor.counters;

		monitor.scale = (uint16_t)((monitor.counters * 65536 - 1) / 101);
		assert_int_equal(monitor_write_mon(&monitor), 0);
		assert_int_equal(take_file("mon.out"), all);
		assert_string_equal(problem_of(all), "");
		for (size_t cut = 0; cut < all; cut++) {
			const char *where = cut < 24 ? "too short"
				: cut < head         ? "call"
						     : "counters;";

			assert_non_null(strstr(problem_of(cut), where));
			assert_non_null(strstr(problem_of(cut), "; copy it again"));
		}
	}
	/* From 65,536 words on, the scale does not tell the number of counters exactly. */
	assert_string_equal(problem_of(make_mon(LOW, LOW + 200000, 1, 3, 5)), "");
	assert_non_null(strstr(problem_of(make_mon(LOW, LOW + 200000, 1, 3, 4)), "its counters;"));
}

static void test_monout__others_tell_it_by_its_beginning(void **state)
{
	static const uint8_t gmon[24] = "gmon\1";
	const char *problem = "";
	struct monout monout;

	(void)state;
	make_mon(LOW, LOW + 4, 1, 2, 2);
	assert_true(monout_seems(data, 24));
	assert_false(monout_seems(data, 23));
	assert_false(monout_is_gmon(data, 24));
	make_mon(LOW, UINT64_C(1) << 47, 1, 2, 2);
	assert_false(monout_seems(data, 24));
	make_mon(LOW, LOW, 1, 2, 2);
	assert_false(monout_seems(data, 24));
	/* These addresses begin like a gzip file. */
	make_mon(0x8b1f, 0x8b23, 1, 2, 2);
	assert_false(monout_seems(data, 24));
	make_mon(0x8b1e, 0x8b22, 1, 2, 2);
	assert_true(monout_seems(data, 24));
	assert_true(monout_is_gmon(gmon, 4));
	assert_false(monout_is_gmon(gmon, 3));
	assert_int_equal(monout_open(gmon, sizeof(gmon), &monout, &problem), -EINVAL);
	assert_string_equal(problem, "it is a gmon.out, which gprof reads: gprof PROGRAM FILE");
}

/* @middle: of each counter's text, in bytes from the lowest address. */
static void check_middles(size_t bytes, const uint64_t *middle, uint32_t n)
{
	const char *problem = "";
	struct monout monout;
	uint64_t address;
	uint32_t ticks;
	size_t at = 0;

	assert_int_equal(monout_open(data, bytes, &monout, &problem), 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(monout_next(&monout, &at, &address, &ticks));
		assert_int_equal(ticks, i + 1);
		assert_int_equal(address, LOW + middle[i]);
	}
	assert_false(monout_next(&monout, &at, &address, &ticks));
	assert_int_equal(at, n);
}

static void test_monout__the_middle_of_the_text(void **state)
{
	(void)state;
	/* Counters of 4 bytes of text; the last has 4, then 2, then none: the text's last byte. */
	check_middles(make_mon(LOW, LOW + 12, 1, 0x8000, 3), (uint64_t[]){1, 5, 9}, 3);
	check_middles(make_mon(LOW, LOW + 10, 1, 0x8000, 3), (uint64_t[]){1, 5, 8}, 3);
	check_middles(make_mon(LOW, LOW + 8, 1, 0x8000, 3), (uint64_t[]){1, 5, 7}, 3);
	/* Three counters of 43690 2/3 bytes, from 0, 43691 and 87382 on, up to 131072. */
	check_middles(make_mon(LOW, LOW + 131072, 1, 3, 3),
		(uint64_t[]){43690 / 2, 43691 + 43690 / 2, 87382 + 43689 / 2}, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monout__what_does_not_hold_together_is_refused),
		cmocka_unit_test(test_monout__a_part_of_a_file_is_refused),
		cmocka_unit_test(test_monout__others_tell_it_by_its_beginning),
		cmocka_unit_test(test_monout__the_middle_of_the_text),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
