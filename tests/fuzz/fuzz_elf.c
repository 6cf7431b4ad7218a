/* SPDX-License-Identifier: MIT */
/* The input is an ELF file, read for its symbols. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_module.h"

enum { SYMBOLS, OF_MEMORY, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (fuzz_module(data, size, true, false).functions)
		fuzz_accept(SYMBOLS);
	if (fuzz_module(data, size, true, true).functions)
		fuzz_accept(OF_MEMORY);
	return 0;
}
