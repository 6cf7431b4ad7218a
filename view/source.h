/* SPDX-License-Identifier: MIT */
/* A source file as lines, with tabs expanded. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "view/code.h"

struct source {
	char *text;    /* NULL: the file is not available */
	char *path;    /* where it was found */
	char *problem; /* why the file is not available; NULL unknown */
	/* why the file may not be the version that was profiled; NULL: nothing says so */
	char *note;
	char **line; /* pointers into @text */
	size_t lines;
};

/*
 * Reads a source file and expands tabs to @tab columns. If the file is not available, it has no
 * lines, and the result is 0 nevertheless; the only error is -ENOMEM. A file that was modified
 * after @profile was begun gets a note. @shared: as for code_reader.source(). @reader may be NULL.
 */
int source_read(struct source *source, const struct profile *profile,
	const struct code_reader *reader, const char *file, bool shared, unsigned tab);
void source_release(struct source *source);

/*
 * Sets *@ret_note to a sentence if the file at @path was modified (at @changed_ns since 1970) after
 * @profile was begun, otherwise to NULL. The caller frees it. 0 or -ENOMEM.
 */
int source_note_newer(
	const struct profile *profile, const char *path, uint64_t changed_ns, char **ret_note);

/* Returns the line with this number, counted from 1; NULL: none. */
const char *source_line(const struct source *source, uint32_t number);

/*
 * Frees *@text, expands its tabs, removes its carriage returns, and cuts that into lines. The
 * caller frees *ret_line, an array of pointers into the new *@text. 0 or -ENOMEM.
 */
int source_split(char **text, unsigned tab, char ***ret_line, size_t *ret_lines);

enum { SOURCE_TAB = 8 };

#endif
