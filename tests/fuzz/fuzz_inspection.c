/* SPDX-License-Identifier: MIT */
/*
 * The input is a message between sprofreport and sprofil-inspector, which a hostile file may have
 * taken over. Accepted data must be consistent, and must lie in memory of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "proto/inspection.h"
#include "tests/fuzz/fuzz.h"
#include "tools/inspector/inspect_answer.h"
#include "view/code.h"

enum { OBJECT, PROFILE, HISTOGRAM, ASKED, PARTS };
const unsigned fuzz_parts = PARTS;

static size_t use_text(const char *text)
{
	return strlen(text);
}

static size_t use(const struct code_object *object)
{
	size_t n = use_text(object->symbols) + use_text(object->lines) + use_text(object->problem) +
		use_text(object->code_problem);

	for (size_t i = 0; i < object->instructions_n; i++) {
		const struct code_instruction *insn = &object->instruction[i];

		if (insn->first + insn->frames > object->frames)
			abort();
		if (i && insn->address <= insn[-1].address)
			abort();
		n += use_text(insn->text);
	}
	for (size_t i = 0; i < object->frames; i++)
		n += use_text(object->frame[i].function) + use_text(object->frame[i].file);
	return n;
}

static void read_answers(const uint8_t *data, size_t size)
{
	long used = 1;

	while (size && used > 0) {
		struct code_object object = {.addresses = 3};

		used = inspect_answer_take(data, size, &object);
		if (used > (long)size)
			abort();
		if (used <= 0)
			return;
		if (object.addresses != 3 || use(&object) > size)
			abort();
		if (object.instructions_n)
			fuzz_accept(OBJECT);
		code_forget(&object);
		data += used;
		size -= (size_t)used;
	}
}

static void read_profile(const uint8_t *data, size_t size)
{
	struct profile *profile = NULL;
	const char *why = NULL;
	int r = inspect_answer_profile(data, size, &profile, &why);

	if ((r == 0) != !!profile || (r == -EINVAL) != !!why)
		abort();
	if (why && use_text(why) > size)
		abort();
	if (profile)
		fuzz_accept(PROFILE);
	profile_free(profile);
}

static void read_histogram(struct reader *r)
{
	struct inspection_histogram histogram;
	volatile uint8_t sink = 0;

	inspection_get(r, INSPECTION_HISTOGRAM, &histogram);
	if (use_text(histogram.program) > INSPECTION_TEXT_MOST)
		abort();
	for (size_t i = 0; i < histogram.bytes; i++)
		sink = (uint8_t)(sink + histogram.data[i]);
	if (!r->bad && histogram.bytes)
		fuzz_accept(HISTOGRAM);
}

static void read_asked(const uint8_t *data, size_t size)
{
	struct reader r = reader_over(data, size);

	if (size && data[0] == INSPECTION_HISTOGRAM) {
		(void)get_u8(&r);
		read_histogram(&r);
		return;
	}
	while (!r.bad && r.p < r.end && get_u8(&r) == INSPECTION_OBJECT) {
		struct inspection_object object;
		struct inspection_address address;

		inspection_get(&r, INSPECTION_OBJECT, &object);
		if (use_text(object.path) + use_text(object.build_id) > size)
			abort();
		for (uint32_t i = 0; i < object.addresses && !r.bad; i++)
			inspection_get(&r, INSPECTION_ADDRESS, &address);
		if (!r.bad && object.addresses)
			fuzz_accept(ASKED);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	read_answers(copy, size);
	read_profile(copy, size);
	read_asked(copy, size);
	free(copy);
	return 0;
}
