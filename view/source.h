/* SPDX-License-Identifier: MIT */
/* A source file as lines, with tabs expanded. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/code.h"

struct source {
	char *text;    /* NULL: the file is not available */
	char *path;    /* where it was found */
	char *problem; /* why it is not available; NULL nothing to say */
	char *note;    /* it is available, but may be another version; NULL nothing to say */
	char **line;
	size_t lines;
};

/*
 * Reads a source file. Tabs have @tab columns. A file that is not available has no lines: -ENOMEM
 * is the only error. A file that was modified after @profile was begun gets a note. @reader may be
 * NULL.
 */
int source_read(struct source *source, const struct profile *profile,
	const struct code_reader *reader, const char *file, bool shared, unsigned tab);
void source_release(struct source *source);

/*
 * *@ret_note: a sentence if the file at @path was modified (@changed_ns, since 1970) after @profile
 * was begun, otherwise NULL; the caller frees it. -ENOMEM.
 */
int source_note_newer(
	const struct profile *profile, const char *path, uint64_t changed_ns, char **ret_note);

/* The @number-th line, from 1 on; NULL: none. */
const char *source_line(const struct source *source, uint32_t number);

/* @text with tabs expanded and carriage returns removed. NULL: out of memory. */
char *source_expand(const char *text, unsigned tab);

/*
 * Replaces *@text, which is freed, by source_expand() of it, cut into lines; *ret_line, which the
 * caller frees, points into it. -ENOMEM.
 */
int source_split(char **text, unsigned tab, char ***ret_line, size_t *ret_lines);

enum { SOURCE_TAB = 8 };

#endif
