/* SPDX-License-Identifier: MIT */
/* The input is an ELF file, read for its symbols. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_module(data, size, true, false);
	fuzz_module(data, size, true, true);
	return 0;
}
