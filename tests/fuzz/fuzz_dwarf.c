/* SPDX-License-Identifier: MIT */
/* The input is an ELF file with DWARF, read for lines and inlined calls. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_module.h"

enum { LINES, INLINED, PARTS };
const unsigned fuzz_parts = PARTS;

/* Debian 12's libdwarf sometimes leaks a DIE of damaged data: some bytes, which we cannot free. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdwarf.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_found found = fuzz_module(data, size, false, false);

	if (found.lines)
		fuzz_accept(LINES);
	if (found.inlined)
		fuzz_accept(INLINED);
	return 0;
}
