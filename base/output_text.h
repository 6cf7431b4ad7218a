/* SPDX-License-Identifier: MIT */
/*
 * Filters untrusted text for a terminal: keeps colours, tabs, newlines and carriage returns; other
 * control characters and invalid UTF-8 become question marks.
 */
#ifndef BASE_OUTPUT_TEXT_H
#define BASE_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OUTPUT_TEXT_HELD = 32 };

/* The state of the filter; all zero at first. */
struct output_text {
	char held[OUTPUT_TEXT_HELD]; /* an incomplete character or colour */
	size_t n;
	bool coloured;
};

void output_text_put(struct output_text *text, const char *bytes, size_t n, FILE *out);
/* Ends the text: prints '?' for incomplete characters, and resets the colours. */
void output_text_end(struct output_text *text, FILE *out);

#endif
