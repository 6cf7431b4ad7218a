/* SPDX-License-Identifier: MIT */
/* The input is a .debug_line section; rows and names of the table at each offset are counted. */
#include <stdlib.h>

#include "symbolizer/dwarf/linescan.h"
#include "tests/fuzz/fuzz.h"

enum { TABLE, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice section = {data, size};
	struct linescan scan;

	for (uint64_t offset = 0; offset <= size && offset < 64; offset++) {
		/* A table has at most one row per byte, and two names per byte. */
		if (linescan_table(section, offset, &scan) < 0)
			continue;
		if (scan.rows > size || scan.names > 2 * size)
			abort();
		if (offset == 0 && scan.rows && scan.names)
			fuzz_accept(TABLE);
	}
	return 0;
}
