/* SPDX-License-Identifier: MIT */
/*
 * The input is what a supervisor reads from its request pipe. Its requests go through the
 * reassembly of their parts; the input also goes through the decoder of answers.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/call.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call_assembly a = {.region = NULL};
	uint8_t *copy = malloc(size ? size : 1);
	struct call_request q;
	struct call_answer answer;
	struct call_status status;
	size_t at = 0, used;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	(void)call_get_answer(copy, size, &answer);
	(void)call_get_status(copy, size, &status);
	while (call_scan(copy + at, size - at, true, &q, &used) == 1) {
		at += used;
		if (call_assembly_starts(&q)) {
			struct call_region *room = calloc(q.total ? q.total : 1, sizeof(*room));

			free(a.region);
			a.region = room;
			if (!room)
				break;
			call_assembly_begin(&a, &q);
		}
		if (a.region && call_assembly_add(&a, &q) == 1 && a.have != a.head.total)
			abort();
	}
	if (at > size || used > size - at)
		abort();
	free(a.region);
	free(copy);
	return 0;
}
