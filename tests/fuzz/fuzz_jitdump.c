/* SPDX-License-Identifier: MIT */
/* The input is a jitdump, read in pieces, as if the file were still growing. */
#include <string.h>

#include "analyst/jit/jit_map.h"
#include "analyst/jit/jitdump.h"
#include "symbolizer/unwind/unwind.h"
#include "symbolizer/unwind/unwind_row.h"
#include "symbolizer/unwind_table.h"
#include "tests/fuzz/fuzz.h"

enum { LINE, UNWOUND, PARTS };
const unsigned fuzz_parts = PARTS;

enum { AT_HAND = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_map map = {0};
	long head = jitdump_head(data, size);
	uint64_t at = head > 0 ? (uint64_t)head : 0;
	volatile size_t sink = 0;

	while (head >= 0 && at < size) {
		uint64_t left = size - at;
		size_t bytes = left < AT_HAND ? (size_t)left : AT_HAND;
		int64_t taken = jitdump_add(&map, data + at, bytes, left, AT_HAND);

		if (taken <= 0)
			break;
		if ((uint64_t)taken > left)
			__builtin_trap();
		at += (uint64_t)taken;
	}
	for (size_t i = 0; i < map.n && i < 64; i++) {
		struct unwind_generated generated;
		struct unwind_entry entry;
		struct unwind_row row;
		struct jit_source source;

		if (jit_map_look_up(&map, map.code[i].start, &source))
			sink = sink + strlen(source.name) + strlen(source.file) +
				(size_t)jit_map_bytes(&map);
		if (at == size && source.line)
			fuzz_accept(LINE);
		if (jit_map_unwind(&map, map.code[i].start, 0, &generated) && generated.eh_frame &&
			unwind_table_read_piece(generated.eh_frame, generated.bytes,
				generated.start, generated.end, &entry) == 0 &&
			unwind_row_make(&entry, generated.start, &row) == 0) {
			sink = sink + row.return_column;
			fuzz_accept(UNWOUND);
		}
	}
	jit_map_release(&map);
	return 0;
}
