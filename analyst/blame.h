/* SPDX-License-Identifier: MIT */
/*
 * Finds the file on which an analyst died. The path of the file that third-party code is working on
 * is noted in memory that outlives the process; the next process skips that file's debug
 * information, and the whole file if that does not help.
 */
#ifndef ANALYST_BLAME_H
#define ANALYST_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/symbolizer.h"

#define BLAME_NOTE_BYTES 256
#define BLAME_MOST       32

struct blame {
	char *note; /* the path of the file in work; memory shared with the process that survives */
	bool own_note;
	struct blamed {
		char path[BLAME_NOTE_BYTES];
		enum symbolizer_skip skip;
	} file[BLAME_MOST];
	size_t files;
};

/*
 * Initializes the note of @blame; files that earlier deaths have added to @blame are kept. @note:
 * BLAME_NOTE_BYTES of shared memory, or NULL to allocate it. -errno if that fails.
 */
int blame_init(struct blame *blame, char *note);
void blame_release(struct blame *blame);

/*
 * Adds the file on which another analyst died: first its debug information is skipped, then all of
 * it. False: all of it was skipped already, or there are too many files.
 */
bool blame_add(struct blame *blame, const char *path);

/*
 * The hooks of struct symbolizer_options; the context is the struct blame. A file that takes more
 * than two minutes of CPU time ends the process by SIGPROF, which counts as a death due to the
 * file, too.
 */
void blame_working_on(void *context, const char *path);
enum symbolizer_skip blame_skip(void *context, const char *path);

#endif
