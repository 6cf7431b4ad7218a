/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"

static void test_units__times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"10s", 10000000000}, {"500ms", 500000000}, {"2m", 120000000000},
		{"1", 1000000000}, {"0.5", 500000000}, {"250us", 250000}, {"40ns", 40},
		{"1h", 3600000000000}};
	static const char *const bad[] = {
		"", "s", "-1s", "1x", "1s ", "0", "nan", "inf", "1e30", " 1", "+1", "1 s"};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(units_time_ns(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(units_time_ns(bad[i], &ns), -EINVAL);
}

static void test_units__rates(void **state)
{
	uint64_t ns;

	(void)state;
	assert_int_equal(units_rate_period_ns("250", &ns), 0);
	assert_int_equal(ns, 4000000);
	assert_int_equal(units_rate_period_ns("4k", &ns), 0);
	assert_int_equal(ns, 250000);
	assert_int_equal(units_rate_period_ns("1000Hz", &ns), 0);
	assert_int_equal(ns, 1000000);
	assert_int_equal(units_rate_period_ns("0", &ns), -EINVAL);
	assert_int_equal(units_rate_period_ns("1000000", &ns), -EINVAL);
	assert_int_equal(units_rate_period_ns("fast", &ns), -EINVAL);
}

static void test_units__percent(void **state)
{
	uint32_t ppm;

	(void)state;
	assert_int_equal(units_percent_ppm("2", &ppm), 0);
	assert_int_equal(ppm, 20000);
	assert_int_equal(units_percent_ppm("0.5%", &ppm), 0);
	assert_int_equal(ppm, 5000);
	assert_int_equal(units_percent_ppm("101", &ppm), -EINVAL);
	assert_int_equal(units_percent_ppm("0", &ppm), -EINVAL);
}

static void test_units__pids(void **state)
{
	static const char *const bad[] = {
		"", "0", "-1", "1,", ",1", "1,,2", "a", "1 2", "99999999999"};
	int *list;
	size_t n;

	(void)state;
	assert_int_equal(units_pids("12,345,6", &list, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(list[0], 12);
	assert_int_equal(list[1], 345);
	assert_int_equal(list[2], 6);
	free(list);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(units_pids(bad[i], &list, &n), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units__times),
		cmocka_unit_test(test_units__rates),
		cmocka_unit_test(test_units__percent),
		cmocka_unit_test(test_units__pids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
