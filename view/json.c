/* SPDX-License-Identifier: MIT */
#include "view/json.h"

#include "base/text.h"

void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		const char *from = text;
		int32_t c = text_next(&text);

		if (c < 0)
			fputs("\xef\xbf\xbd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (!text_is_printable(c))
			fprintf(out, "\\u%04x", (unsigned)c);
		else
			(void)fwrite(from, 1, (size_t)(text - from), out);
	}
	fputc('"', out);
}
