/* SPDX-License-Identifier: MIT */
/* The input is a perf map, which is read in two pieces. */
#include <stdlib.h>
#include <string.h>

#include "analyst/jit/jit.h"
#include "tests/fuzz/fuzz.h"

enum { CODE, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_map map = {0};
	long taken = jit_map_add(&map, (const char *)data, size / 2);
	volatile size_t sink = 0;

	if (taken >= 0)
		taken = jit_map_add(&map, (const char *)data + taken, size - (size_t)taken);
	if (taken >= 0)
		taken = jit_map_add_last(&map, (const char *)data, size);
	for (size_t i = 0; taken >= 0 && i < map.n && i < 64; i++) {
		struct jit_source source;

		if (jit_map_look_up(&map, map.code[i].start, &source)) {
			sink = sink + strlen(source.name) + strlen(source.file);
			fuzz_accept(CODE);
		}
		sink = sink + (size_t)jit_map_bytes(&map);
	}
	jit_map_release(&map);
	return 0;
}
