/* SPDX-License-Identifier: MIT */
#include "view/wrap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { INDENT = 2 };

/* A number stays on the line of its unit, or of what it counts. */
static bool is_number_end(const char *word, const char *behind)
{
	return behind > word && behind[-1] >= '0' && behind[-1] <= '9';
}

static bool is_at_end(const char *text)
{
	return !*text || *text == '\n';
}

size_t wrap_piece(const char *text, size_t columns, size_t *ret_next)
{
	const char *p = text + strspn(text, " "), *end = NULL, *next = NULL;
	size_t taken = (size_t)(p - text);
	bool splits = false; /* the best break so far is behind a number */

	while (!is_at_end(p)) {
		const char *word = p, *behind;

		while (*p != ' ' && !is_at_end(p))
			taken += text_character_columns(text_next(&p));
		if (end && taken > columns) {
			*ret_next = (size_t)(next - text);
			return (size_t)(end - text);
		}
		behind = p;
		taken += strspn(p, " ");
		p += strspn(p, " ");
		if (end && !splits && is_number_end(word, behind))
			continue;
		end = behind;
		next = p;
		splits = is_number_end(word, behind);
	}
	*ret_next = (size_t)(p - text);
	return (size_t)(p - text);
}

/*
 * Wraps the first line of @text. Further pieces are indented like the line, or by INDENT if the
 * line has no indentation.
 */
static void print_line(const char *text, size_t width, FILE *out)
{
	size_t indent = strspn(text, " "), room = width, next;

	for (bool first = true; first || (*text && *text != '\n'); first = false) {
		size_t bytes = wrap_piece(text, room, &next);

		if (!first)
			fprintf(out, "%*s", (int)indent, "");
		(void)fwrite(text, 1, bytes, out);
		(void)fputc('\n', out);
		text += next;
		if (!indent)
			indent = INDENT;
		room = width > indent ? width - indent : 1;
	}
}

FILE *wrap_begin(struct wrap *wrap, size_t width, FILE *out)
{
	*wrap = (struct wrap){.out = out, .to = out, .width = width};
	if (width)
		wrap->to = open_memstream(&wrap->text, &wrap->bytes);
	return wrap->to;
}

int wrap_end(struct wrap *wrap)
{
	const char *line;

	if (!wrap->width)
		return 0;
	if (fclose(wrap->to)) {
		free(wrap->text);
		return -ENOMEM;
	}
	for (line = wrap->text; *line; line += *line ? 1 : 0) {
		print_line(line, wrap->width, wrap->out);
		line = strchrnul(line, '\n');
	}
	free(wrap->text);
	return 0;
}
