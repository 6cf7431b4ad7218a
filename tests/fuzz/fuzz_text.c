/* SPDX-License-Identifier: MIT */
/*
 * Names and output of a hostile program for a terminal. Byte 0: columns; bit 7: ASCII. The rest is
 * the text. What is printed must be printable, and what is cut must fit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_text.h"
#include "base/text.h"
#include "tests/fuzz/fuzz.h"

enum { CLEANED, CUT, COLOURED, PARTS };
const unsigned fuzz_parts = PARTS;

static void check(const char *text, bool ascii)
{
	while (*text) {
		int32_t c = text_next(&text);

		if (!text_is_printable(c) || (ascii && c >= 0x80))
			abort();
	}
}

static void cut(const char *text, size_t columns, bool ascii)
{
	static int (*const cuts[])(char **text, size_t columns, bool ascii) = {
		text_cut_name, text_cut_path, text_cut_sentence};

	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		char *copy = strdup(text);

		if (copy && cuts[i](&copy, columns, ascii) == 0) {
			check(copy, ascii);
			if (text_columns(copy) > columns)
				abort();
			if (strcmp(copy, text) != 0)
				fuzz_accept(CUT);
		}
		if (copy && text_empty_brackets(&copy, ascii) == 0)
			check(copy, ascii);
		free(copy);
	}
}

/* Only tabs, line ends and colours may stand beside printable characters. */
static void check_output(const char *text)
{
	while (*text) {
		if (*text == '\033') {
			text += 1 + (text[1] == '[');
			text += strspn(text, "0123456789;:");
			if (*text++ != 'm')
				abort();
			fuzz_accept(COLOURED);
		} else if (strchr("\t\n\r", *text)) {
			text++;
		} else if (!text_is_printable(text_next(&text))) {
			abort();
		}
	}
}

static void put(const char *data, size_t size)
{
	struct output_text filter = {0};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	output_text_put(&filter, data, size / 2, out);
	output_text_put(&filter, data + size / 2, size - size / 2, out);
	output_text_end(&filter, out);
	if (fclose(out) == 0)
		check_output(text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool ascii = size && data[0] & 128;
	const size_t columns = size && data[0] & 127 ? data[0] & 127 : 1;
	char *text = malloc(size + 1), *clean;

	if (!text)
		return 0;
	memcpy(text, data + (size > 0), size - (size > 0));
	text[size - (size > 0)] = '\0';
	put(text, size - (size > 0));
	clean = text_clean(text, ascii);
	if (clean) {
		check(clean, ascii);
		cut(clean, columns, ascii);
		fuzz_accept(CLEANED);
	}
	free(clean);
	free(text);
	return 0;
}
