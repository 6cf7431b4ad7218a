/* SPDX-License-Identifier: MIT */
/* The input is the text of a /proc/PID/maps. */
#include <string.h>

#include "base/maps_line.h"
#include "symbolizer/module.h"
#include "tests/fuzz/fuzz.h"

enum { MAPPED, PARTS };
const unsigned fuzz_parts = PARTS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbolizer_options options = {
		.size = sizeof(options), .debug_directories = "/nonexistent"};
	struct symbolizer *symbolizer;
	struct space *space = NULL, *child = NULL;
	struct code_location place;
	volatile size_t sink = 0;

	if (symbolizer_new(&options, &symbolizer))
		return 0;
	if (space_new(symbolizer, 0, &space) == 0 &&
		space_set_maps(space, (const char *)data, size) >= 0) {
		for (size_t i = 0; i < space->n; i++) {
			struct module_info info;

			(void)space_find(space, space->mappings[i].start, &place);
			(void)space_find(space, space->mappings[i].end, &place);
			module_describe(place.module, place.svma, &info);
			sink = sink + strlen(info.path);
			if (*info.path)
				fuzz_accept(MAPPED);
		}
		/* The same maps again: every mapping is unchanged. */
		(void)space_set_maps(space, (const char *)data, size);
		if (space_fork(space, 0, &child) == 0)
			(void)space_set_maps(child, (const char *)data, size / 2);
	}
	space_free(child);
	space_free(space);
	symbolizer_free(symbolizer);
	return 0;
}
