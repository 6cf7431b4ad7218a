/* SPDX-License-Identifier: MIT */
/*
 * The input is what a supervisor reads from its request pipe. Its requests go through the
 * reassembly of their parts; the input also goes through the decoder of answers. Then the same
 * input is read again, with good checksums: a fuzzer does not guess those.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/call.h"
#include "tests/fuzz/fuzz.h"

enum { TABLE, ANSWER, STATUS, PARTS };
const unsigned fuzz_parts = PARTS;

/* Gives each piece that begins as a request and says its size the checksum of docs/PROTOCOL.md. */
static void mend_checksums(uint8_t *data, size_t size)
{
	enum { SIZE_AT = 6, CHECKSUM_AT = 8 };

	for (size_t at = 0; at + CHECKSUM_AT + 4 <= size; at++) {
		size_t bytes = (size_t)data[at + SIZE_AT] | (size_t)data[at + SIZE_AT + 1] << 8;
		uint32_t sum = UINT32_C(2166136261);

		if (memcmp(data + at, "SPRQ", 4) != 0 || bytes < CHECKSUM_AT + 4 ||
			bytes > size - at)
			continue;
		memset(data + at + CHECKSUM_AT, 0, 4);
		for (size_t i = 0; i < bytes; i++)
			sum = (sum ^ data[at + i]) * UINT32_C(16777619);
		memcpy(data + at + CHECKSUM_AT, &sum, 4);
	}
}

static void take_requests(const uint8_t *data, size_t size)
{
	struct call_assembly a = {.region = NULL};
	struct call_request q;
	size_t at = 0, used;

	while (call_scan(data + at, size - at, true, &q, &used) == 1) {
		at += used;
		if (call_assembly_starts(&q)) {
			struct call_region *room = calloc(q.total ? q.total : 1, sizeof(*room));

			free(a.region);
			a.region = room;
			if (!room)
				break;
			call_assembly_begin(&a, &q);
		}
		if (!a.region || call_assembly_add(&a, &q) != 1)
			continue;
		if (a.have != a.head.total)
			abort();
		if (a.have)
			fuzz_accept(TABLE);
	}
	if (at > size || used > size - at)
		abort();
	free(a.region);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct call_answer answer;
	struct call_status status;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (call_get_answer(copy, size, &answer) == 0)
		fuzz_accept(ANSWER);
	if (call_get_status(copy, size, &status) == 0)
		fuzz_accept(STATUS);
	take_requests(copy, size);
	mend_checksums(copy, size);
	take_requests(copy, size);
	free(copy);
	return 0;
}

/* A table in one request, an answer, and an answer with its status. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	const struct call_region region = {.base = 64, .bytes = 64, .offset = 4096, .scale = 65536};
	const struct call_request request = {
		.pid = 2, .tid = 3, .nonce = 1, .total = 1, .count = 1, .element = 4};
	int r = 0;

	if (n == 0)
		r = call_put_request(ret_data, FUZZ_SEED_BYTES, &request, &region);
	else if (n == 1)
		r = call_put_answer(ret_data, FUZZ_SEED_BYTES, &(struct call_answer){.nonce = 1});
	else if (n == 2)
		r = call_put_status(ret_data, FUZZ_SEED_BYTES, &(struct call_status){.tick_ns = 1});
	return (size_t)r;
}
