/* SPDX-License-Identifier: MIT */
#include "view/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* Expands tabs, drops carriage returns. The caller frees the copy; NULL: out of memory. */
static char *expand(const char *text, unsigned tab)
{
	size_t n = 0, column = 0, tabs = 0;
	char *to;

	for (const char *p = text; *p; p++)
		tabs += *p == '\t';
	to = malloc(strlen(text) + tabs * (tab - 1) + 1);
	for (; to && *text; text++) {
		if (*text == '\t') {
			do
				to[n++] = ' ';
			while (++column % tab);
			continue;
		}
		column = *text == '\n' ? 0 : column + ((*text & 0xc0) != 0x80);
		if (*text != '\r')
			to[n++] = *text;
	}
	if (to)
		to[n] = '\0';
	return to;
}

int source_split(char **text, unsigned tab, char ***ret_line, size_t *ret_lines)
{
	char *at = expand(*text, tab), **line;
	size_t n = 1, lines = 0;

	if (!at)
		return -ENOMEM;
	free(*text);
	*text = at;
	for (const char *p = at; *p; p++)
		n += *p == '\n';
	line = calloc(n, sizeof(*line));
	if (!line)
		return -ENOMEM;
	while (*at) {
		char *end = strchrnul(at, '\n');
		bool last = !*end;

		*end = '\0';
		line[lines++] = at;
		at = last ? end : end + 1;
	}
	*ret_line = line;
	*ret_lines = lines;
	return 0;
}

/*
 * The beginning of a merged profile is that of its earliest part. So the note is also given for a
 * file that changed between two parts.
 */
int source_note_newer(
	const struct profile *profile, const char *path, uint64_t changed_ns, char **ret_note)
{
	uint64_t began_ns = profile_realtime_ns(profile);
	char *note = NULL;

	if (began_ns && changed_ns > began_ns &&
		asprintf(&note, "%s is newer than the profile: lines may not fit", path) < 0)
		return -ENOMEM;
	*ret_note = note;
	return 0;
}

int source_read(struct source *source, const struct profile *profile,
	const struct code_reader *reader, const char *file, bool shared, unsigned tab)
{
	uint64_t changed_ns = 0;
	int r = -ENOENT;

	*source = (struct source){0};
	if (reader && file[0])
		r = reader->source(reader->context, file, shared, &source->text, &source->path,
			&changed_ns, &source->problem);
	if (r == 0)
		r = source_split(&source->text, tab, &source->line, &source->lines);
	if (r == 0)
		r = source_note_newer(profile, source->path, changed_ns, &source->note);
	if (r == -ENOMEM)
		source_release(source);
	return r == -ENOMEM ? r : 0;
}

void source_release(struct source *source)
{
	free(source->text);
	free(source->path);
	free(source->problem);
	free(source->note);
	free(source->line);
	*source = (struct source){0};
}

const char *source_line(const struct source *source, uint32_t number)
{
	return number && number <= source->lines ? source->line[number - 1] : NULL;
}
