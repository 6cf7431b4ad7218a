/* SPDX-License-Identifier: MIT */
/* A source file as lines, with tabs expanded. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/code.h"

struct source {
	char *text;    /* NULL: the file is missing */
	char *path;    /* where the file was found */
	char *problem; /* why the file is missing; NULL: unknown */
	char *note;    /* why the file may not be the profiled one; NULL: no hint */
	char **line;   /* pointers into @text */
	size_t lines;
};

/*
 * Expands tabs to @tab columns. A missing file has no lines, and the result is 0; the only error is
 * -ENOMEM. A file modified after the beginning of @profile gets a note. @shared: as for
 * code_reader.source(). @reader may be NULL.
 */
int source_read(struct source *source, const struct profile *profile,
	const struct code_reader *reader, const char *file, bool shared, unsigned tab);
void source_release(struct source *source);

/*
 * Sets *@ret_note, which the caller frees, to a sentence if the file at @path was modified (at
 * @changed_ns since 1970) after the beginning of @profile, else to NULL. 0 or -ENOMEM.
 */
int source_note_newer(
	const struct profile *profile, const char *path, uint64_t changed_ns, char **ret_note);

/* Line @number, from 1; NULL: none. */
const char *source_line(const struct source *source, uint32_t number);

/*
 * Replaces *@text by a copy with tabs expanded and carriage returns removed, and cuts it into
 * lines. The caller frees *@ret_line, an array of pointers into the new *@text. 0 or -ENOMEM.
 */
int source_split(char **text, unsigned tab, char ***ret_line, size_t *ret_lines);

enum { SOURCE_TAB = 8 };

#endif
