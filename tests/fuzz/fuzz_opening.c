/* SPDX-License-Identifier: MIT */
/*
 * The input is a packet between the opener and the analyst, which a hostile file may have taken
 * over. An accepted packet must be the same when encoded again. The opener answers requests for
 * files of this process, and must grant nothing of an untraced process.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opener/openings.h"
#include "tests/fuzz/fuzz.h"

enum { REQUEST, ANSWER, PARTS };
const unsigned fuzz_parts = PARTS;

static void answer(const struct opening *what)
{
	static struct opened opened;
	struct openings openings = {.guards = true, .view = true};

	openings_answer(&openings, getpid(), what, &opened);
	/* No process is traced, so these kinds must be refused. */
	if (opened.fd >= 0 &&
		(what->kind == OPENING_IMAGE || what->kind == OPENING_VDSO ||
			what->kind == OPENING_CODE || what->kind == OPENING_THREADS ||
			opened.error))
		abort();
	if (opened.fd >= 0)
		(void)close(opened.fd);
	openings_release(&openings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct opening opening;
	static struct opened opened;
	uint8_t again[OPENING_BYTES_MOST], *copy;

	if (size > OPENING_BYTES_MOST)
		return 0;
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (opening_get(copy, size, &opening) == 0) {
		if (opening_put(again, &opening) != size || memcmp(again, copy, size) != 0)
			abort();
		answer(&opening);
		fuzz_accept(REQUEST);
	}
	if (opened_get(copy, size, &opened) == 0) {
		if (opened_put(again, &opened) != size || memcmp(again, copy, size) != 0)
			abort();
		fuzz_accept(ANSWER);
	}
	free(copy);
	return 0;
}

size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	static const struct opening opening = {.kind = OPENING_ELF, .path = "/bin/sh"};
	static const struct opened opened = {.fd = -1, .text = "sh"};

	return n == 0    ? opening_put(ret_data, &opening)
		: n == 1 ? opened_put(ret_data, &opened)
			 : 0;
}
