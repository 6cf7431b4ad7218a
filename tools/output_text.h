/* SPDX-License-Identifier: MIT */
/*
 * Foreign text for a terminal: colours stay, tabs, line ends and returns; every other control
 * character, and what is not UTF-8, becomes a question mark.
 */
#ifndef TOOLS_OUTPUT_TEXT_H
#define TOOLS_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OUTPUT_TEXT_HELD = 32 };

/* Begins as zero. */
struct output_text {
	char held[OUTPUT_TEXT_HELD]; /* the beginning of a character or a colour */
	size_t n;
	bool coloured;
};

void output_text_put(struct output_text *text, const char *bytes, size_t n, FILE *out);
/* The end of the text: what is held, and the colours of before. */
void output_text_end(struct output_text *text, FILE *out);

#endif
