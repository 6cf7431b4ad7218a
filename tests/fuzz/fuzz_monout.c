/* SPDX-License-Identifier: MIT */
/*
 * The input is a mon.out. Its counters' addresses must ascend between its lowest and highest one.
 */
#include <stdlib.h>

#include "profile/monout.h"
#include "tests/fuzz/fuzz.h"

enum { COUNTERS, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *problem = NULL;
	uint64_t address, before = 0;
	struct monout monout;
	uint32_t ticks;
	size_t at = 0;

	if (monout_open(data, size, &monout, &problem) < 0) {
		if (!problem)
			abort();
		return 0;
	}
	while (monout_next(&monout, &at, &address, &ticks)) {
		if (address < monout.low || address >= monout.high || address < before || !ticks)
			abort();
		before = address;
		fuzz_accept(COUNTERS);
	}
	return 0;
}
