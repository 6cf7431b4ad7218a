/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Has the argument only characters that have no special meaning in any shell? */
static bool is_plain(const char *arg, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		char c = arg[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    strchr("_@%+=:,./-", c) || (unsigned char)c >= 0x80))
			return false;
	}
	return bytes > 0;
}

static char *append(char *to, const char *text, size_t bytes)
{
	memcpy(to, text, bytes);
	return to + bytes;
}

/* Quotes an argument: it's -> 'it'\''s' */
static char *append_quoted(char *to, const char *arg, size_t bytes)
{
	*to++ = '\'';
	for (size_t i = 0; i < bytes; i++) {
		if (arg[i] == '\'')
			to = append(to, "'\\''", 4);
		else
			*to++ = arg[i];
	}
	*to++ = '\'';
	return to;
}

char *shell_line(const char *args, size_t bytes)
{
	const char *end = args + bytes;
	/* Worst case: an argument that is one quote becomes ''\''' and a space: 7 bytes. */
	char *line = calloc(bytes + 1, 7), *to = line;

	if (!line)
		return NULL;
	while (args < end) {
		size_t n = strnlen(args, (size_t)(end - args));

		if (to != line)
			*to++ = ' ';
		to = is_plain(args, n) ? append(to, args, n) : append_quoted(to, args, n);
		args += n < (size_t)(end - args) ? n + 1 : n;
	}
	*to = '\0';
	return line;
}
