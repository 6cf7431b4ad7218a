/* SPDX-License-Identifier: MIT */
/* What variances tell of one another, against printed values and against variances made by chance.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/shrinkage.h"

static void test_shrinkage__printed_values(void **state)
{
	(void)state;
	assert_true(fabs(shrinkage_digamma(1) + 0.5772156649) < 1e-9);
	assert_true(fabs(shrinkage_digamma(0.5) + 1.9635100260) < 1e-9);
	assert_true(fabs(shrinkage_digamma(10) - 2.2517525891) < 1e-9);
	assert_true(fabs(shrinkage_trigamma(1) - 1.6449340668) < 1e-9);
	assert_true(fabs(shrinkage_trigamma(0.5) - 4.9348022005) < 1e-9);
	assert_true(fabs(shrinkage_trigamma(10) - 0.1051663357) < 1e-9);
}

static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Chi squared of 4 degrees of freedom, by them. */
static double chance(uint64_t *seed)
{
	return -2 * (log(uniform(seed)) + log(uniform(seed))) / 4;
}

enum { ROWS = 2000 };

static void test_shrinkage__rows_that_are_alike_lend_much(void **state)
{
	static struct shrinkage_row row[ROWS];
	uint64_t seed = 1;
	struct shrinkage m;

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		row[i] = (struct shrinkage_row){3 * chance(&seed), 1};
	m = shrinkage_find(row, ROWS, 4, 20);
	assert_true(m.freedom >= 19 && fabs(m.scale / 3 - 1) < 0.1);
}

/* Variances that differ as the inverse of chi squared of 4 degrees does: F of 4 and 4. */
static void test_shrinkage__rows_that_differ_lend_little(void **state)
{
	static struct shrinkage_row row[ROWS];
	uint64_t seed = 2;
	struct shrinkage m;

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		row[i] = (struct shrinkage_row){chance(&seed) / chance(&seed), 1};
	m = shrinkage_find(row, ROWS, 4, 20);
	assert_true(m.freedom > 3.4 && m.freedom < 4.7);
	assert_true(fabs(m.scale - 1) < 0.1);
}

static void test_shrinkage__few_rows_lend_what_they_know(void **state)
{
	const struct shrinkage_row row[] = {{1, .5}, {1.1, .5}, {0, 9}, {-1, 9}};
	struct shrinkage m = shrinkage_find(row, 4, 4, 20);

	(void)state;
	assert_true(fabs(m.freedom - 4) < 1e-6); /* one row more */
	m = shrinkage_find(row, 1, 4, 20);
	assert_true(m.freedom <= 0 && fabs(m.scale - 1) < 1e-12);
	m = shrinkage_find(row, 0, 4, 20);
	assert_true(m.freedom <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shrinkage__printed_values),
		cmocka_unit_test(test_shrinkage__rows_that_are_alike_lend_much),
		cmocka_unit_test(test_shrinkage__rows_that_differ_lend_little),
		cmocka_unit_test(test_shrinkage__few_rows_lend_what_they_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
