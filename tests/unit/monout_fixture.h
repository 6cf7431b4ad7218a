/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MONOUT_FIXTURE_H
#define TESTS_MONOUT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/monitor.h"

/* Lowest address of the text. No object is loaded there, so the file has the same addresses. */
#define LOW UINT64_C(0x10)

static uint8_t data[1 << 20];

static inline size_t take_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n;

	assert_non_null(file);
	n = fread(data, 1, sizeof(data), file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(remove(path), 0);
	return n;
}

/* Returns a monitor with one counter of 2 bytes for each 2 bytes of text from @low on. */
static inline struct monitor monitor_of(
	enum call_dialect dialect, uint64_t low, const void *counter, size_t counters)
{
	return (struct monitor){.dialect = dialect,
		.low = low,
		.high = low + 2 * counters,
		.counter = counter,
		.counters = counters,
		.element = 2,
		.scale = 0xffff};
}

static char directory[] = "/tmp/test_monout.XXXXXX";

static inline int enter(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chdir(directory) < 0;
}

static inline int leave(void **state)
{
	(void)state;
	return chdir("/") < 0 || rmdir(directory) < 0;
}

#endif
