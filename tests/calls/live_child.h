/* SPDX-License-Identifier: MIT */
/* Each part of a test runs in a child. It returns 0, or the number of the step that failed. */
#ifndef TESTS_LIVE_CHILD_H
#define TESTS_LIVE_CHILD_H

#include <sprofil/sprofil.h>

#include "tests/calls/live.h"

#include <unistd.h>

static unsigned counts[16];

static int on(void)
{
	struct prof p = {counts, sizeof(counts), LIVE_A, 0x10000};

	return sprofil(&p, 1, NULL, PROF_UINT);
}

static int off(void)
{
	return sprofil(NULL, 0, NULL, 0);
}

/* Returns 0 if ticks were counted between on and off. */
static int works(void)
{
	memset(counts, 0, sizeof(counts));
	if (on() < 0)
		return 10;
	(void)live_spin(LIVE_A, LIVE_SHORT);
	if (off() < 0)
		return 11;
	return counts[0] >= 5 ? 0 : 12;
}

static void in_child(int (*body)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(body());
	live_reap(pid);
}

#endif
