/* SPDX-License-Identifier: MIT */
/*
 * A child that its parent's supervisor does not trace ("sprofrun --no-follow") has a copy of what
 * the library remembers of that supervisor, and sends its request there first. Native interface.
 */
#include "tests/calls/live_native.h"

#include <stdbool.h>
#include <unistd.h>

#define REGIONS 4096 /* 128 requests */

static unsigned counts[REGIONS];

/* Spins at the address of region @i until it has a count, at most 40 times. */
static bool is_counted(unsigned i)
{
	for (unsigned k = 0; k < 40 && !counts[i]; k++)
		(void)live_spin(LIVE_A + 4 * (uint64_t)i, LIVE_SHORT);
	return counts[i] > 0;
}

static int count_in_a_large_table(void)
{
	static struct prof table[REGIONS];

	for (unsigned i = 0; i < REGIONS; i++)
		table[i] = (struct prof){&counts[i], 4, LIVE_A + 4 * i, 0x10000};
	if (sprofil(table, REGIONS, NULL, PROF_UINT) < 0)
		return 1;
	if (!is_counted(0) || !is_counted(40) || !is_counted(REGIONS - 1))
		return 2;
	if (sprofil(NULL, 0, NULL, 0) < 0)
		return 3;
	for (unsigned i = 0; i < REGIONS; i++)
		if (counts[i] && i != 0 && i != 40 && i != REGIONS - 1)
			return 4;
	return 0;
}

/*
 * The supervisor answers to each request of the child's table that it does not trace the child. The
 * call then starts a helper and sends the table again. Each tick is in its region's counter: no
 * answer of the supervisor was taken for an entry of the table.
 */
static void test_live_unfollowed__a_large_table(void **state)
{
	unsigned own[4] = {0};
	pid_t pid;

	(void)state;
	assert_true(live_tracer() > 0);
	on(own, sizeof(own), LIVE_B);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(live_tracer() ? 10 : count_in_a_large_table());
	live_reap(pid);
	off();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_unfollowed__a_large_table),
	};

	return live_run_with_children(tests);
}
