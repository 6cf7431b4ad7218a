/* SPDX-License-Identifier: MIT */
#include "base/maps_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text_span {
	const char *at, *end;
};

static bool take_char(struct text_span *span, char want)
{
	if (span->at == span->end || *span->at != want)
		return false;
	span->at++;
	return true;
}

static int digit_value(char c, unsigned base)
{
	int value = -1;

	if (c >= '0' && c <= '9')
		value = c - '0';
	else if (c >= 'a' && c <= 'f')
		value = c - 'a' + 10;
	return value >= 0 && (unsigned)value < base ? value : -1;
}

/* Parses digits at the span's begin. False: there is none, or the number exceeds 64 bits. */
static bool take_number(struct text_span *span, unsigned base, uint64_t *ret_value)
{
	const char *first = span->at;
	uint64_t value = 0;

	for (; span->at < span->end; span->at++) {
		int digit = digit_value(*span->at, base);

		if (digit < 0)
			break;
		if (value > (UINT64_MAX - (unsigned)digit) / base)
			return false;
		value = value * base + (unsigned)digit;
	}
	*ret_value = value;
	return span->at > first;
}

static bool take_flag(struct text_span *span, char set, bool *ret_set)
{
	if (take_char(span, set)) {
		*ret_set = true;
		return true;
	}
	*ret_set = false;
	return take_char(span, '-');
}

int maps_line_parse(const char *line, size_t bytes, struct maps_line *ret_line)
{
	struct text_span span = {line, line + bytes};
	struct maps_line out = {0};
	uint64_t major = 0, minor = 0;

	if (!take_number(&span, 16, &out.start) || !take_char(&span, '-') ||
		!take_number(&span, 16, &out.end) || !take_char(&span, ' ') || out.start >= out.end)
		return -EINVAL;
	if (!take_flag(&span, 'r', &out.read) || !take_flag(&span, 'w', &out.write) ||
		!take_flag(&span, 'x', &out.execute))
		return -EINVAL;
	if (!take_char(&span, 'p') && !take_char(&span, 's') && !take_char(&span, '-'))
		return -EINVAL;
	if (!take_char(&span, ' ') || !take_number(&span, 16, &out.offset) ||
		!take_char(&span, ' ') || !take_number(&span, 16, &major) ||
		!take_char(&span, ':') || !take_number(&span, 16, &minor) ||
		!take_char(&span, ' ') || !take_number(&span, 10, &out.inode))
		return -EINVAL;
	if (major > UINT32_MAX || minor > UINT32_MAX ||
		out.offset > UINT64_MAX - (out.end - out.start))
		return -EINVAL;
	if (span.at < span.end && *span.at != ' ')
		return -EINVAL;
	while (take_char(&span, ' '))
		;
	out.major = (uint32_t)major;
	out.minor = (uint32_t)minor;
	out.name = span.at;
	out.name_bytes = (size_t)(span.end - span.at);
	*ret_line = out;
	return 0;
}

bool maps_line_find(
	const char *path, bool (*is_it)(void *context, const struct maps_line *line), void *context)
{
	FILE *file = fopen(path, "re");
	struct maps_line line;
	char *text = NULL;
	bool found = false;
	size_t room = 0;
	ssize_t bytes;

	while (file && !found && (bytes = getline(&text, &room, file)) > 0)
		found = maps_line_parse(text, (size_t)bytes - (text[bytes - 1] == '\n'), &line) ==
				0 &&
			is_it(context, &line);
	free(text);
	if (file)
		(void)fclose(file);
	return found;
}

size_t maps_line_unescape(const char *name, size_t name_bytes, char *to)
{
	size_t used = 0;

	for (size_t i = 0; i < name_bytes; i++) {
		if (name_bytes - i >= 4 && memcmp(name + i, "\\012", 4) == 0) {
			to[used++] = '\n';
			i += 3;
		} else {
			to[used++] = name[i];
		}
	}
	return used;
}

size_t maps_line_without_deleted(const char *name, size_t name_bytes)
{
	static const char suffix[] = " (deleted)";
	const size_t suffix_bytes = sizeof(suffix) - 1;

	if (name_bytes <= suffix_bytes ||
		memcmp(name + name_bytes - suffix_bytes, suffix, suffix_bytes) != 0)
		return name_bytes;
	return name_bytes - suffix_bytes;
}
