/* SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "view/export/svg.h"

static const char *escape_of(int32_t c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	case '\n': return "&#10;";
	default: return NULL;
	}
}

/*
 * May the character be in the document? Not allowed: control characters, characters that are no
 * Char of XML 1.0, and characters that change the direction of text or end a line.
 */
static bool is_allowed(int32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff)
		return false;
	return !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && c != 0x200e &&
		c != 0x200f && c != 0x2028 && c != 0x2029;
}

void svg_text(FILE *out, const char *text)
{
	while (*text) {
		const char *from = text;
		int32_t c = text_next(&text);
		const char *escape = escape_of(c);

		if (escape)
			fputs(escape, out);
		else if (!is_allowed(c))
			fputs("\xef\xbf\xbd", out);
		else
			(void)fwrite(from, 1, (size_t)(text - from), out);
	}
}
