/* SPDX-License-Identifier: MIT */
#include "base/output_text.h"

#include <string.h>

#include "base/text.h"

/* The bytes held are a whole character or colour sequence; the beginning of one; anything else. */
enum piece { PIECE_WHOLE, PIECE_BEGUN, PIECE_FOREIGN };

/* A colour sequence is, for example, "ESC [ 1 ; 31 m". */
static enum piece colour(const char *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (i == 1 ? p[i] != '[' : !p[i] || !strchr("0123456789;:m", p[i]))
			return PIECE_FOREIGN;
		if (p[i] == 'm')
			return PIECE_WHOLE;
	}
	return n < OUTPUT_TEXT_HELD ? PIECE_BEGUN : PIECE_FOREIGN;
}

static enum piece character(const char *p, size_t n)
{
	unsigned char first = (unsigned char)p[0];
	size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	char whole[5] = "";
	const char *end = whole;

	if (n < bytes)
		return PIECE_BEGUN;
	if (first == '\t' || first == '\n' || first == '\r')
		return PIECE_WHOLE;
	memcpy(whole, p, bytes);
	return text_is_printable(text_next(&end)) && end == whole + bytes ? PIECE_WHOLE
									  : PIECE_FOREIGN;
}

static enum piece find_piece(const struct output_text *text)
{
	return text->held[0] == '\033' ? colour(text->held, text->n)
				       : character(text->held, text->n);
}

/* Prints '?' for the first byte held, which is not printable; examines the others again. */
static void drop(struct output_text *text, FILE *out)
{
	char rest[OUTPUT_TEXT_HELD];
	size_t n = text->n - 1;

	memcpy(rest, text->held + 1, n);
	text->n = 0;
	(void)fputc('?', out);
	output_text_put(text, rest, n, out);
}

void output_text_put(struct output_text *text, const char *bytes, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		text->held[text->n++] = bytes[i];
		switch (find_piece(text)) {
		case PIECE_BEGUN: break;
		case PIECE_FOREIGN: drop(text, out); break;
		case PIECE_WHOLE:
			text->coloured |= text->held[0] == '\033';
			(void)fwrite(text->held, 1, text->n, out);
			text->n = 0;
			break;
		}
	}
}

void output_text_end(struct output_text *text, FILE *out)
{
	while (text->n)
		drop(text, out);
	if (text->coloured)
		(void)fputs("\033[0m", out);
	text->coloured = false;
}
