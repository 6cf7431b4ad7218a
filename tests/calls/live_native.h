/* SPDX-License-Identifier: MIT */
/* On and off in the native interface, for live tests of it. */
#ifndef TESTS_LIVE_NATIVE_H
#define TESTS_LIVE_NATIVE_H

#include <sprofil/sprofil.h>

#include "tests/calls/live.h"

static inline void off(void)
{
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static inline void on(void *counts, unsigned bytes, uint64_t at)
{
	struct prof p = {counts, bytes, at, 0x10000};

	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
}

#endif
