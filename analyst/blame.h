/* SPDX-License-Identifier: MIT */
/*
 * Finds the file on which an analyst died. While third-party code reads a file, the path of the
 * file is in memory that outlives the process. After a death, the next process skips the debug
 * information of that file. After another death on the same file, the next process skips the whole
 * file.
 */
#ifndef ANALYST_BLAME_H
#define ANALYST_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/symbolizer.h"

#define BLAME_NOTE_BYTES 256
#define BLAME_MOST       32

struct blame {
	char *note; /* the path of the file being read; memory shared with the parent */
	bool own_note;
	struct blamed {
		char path[BLAME_NOTE_BYTES];
		enum symbolizer_skip skip;
	} file[BLAME_MOST];
	size_t files;
};

/*
 * @note: BLAME_NOTE_BYTES of shared memory; NULL: this function allocates it. Files that
 * blame_add() has added remain. 0 or -errno.
 */
int blame_init(struct blame *blame, char *note);
void blame_release(struct blame *blame);

/*
 * Adds the file on which another analyst died: at first its debug information is skipped, then all
 * of the file. False: the file is skipped already, or there are too many files.
 */
bool blame_add(struct blame *blame, const char *path);

/*
 * The hooks of struct symbolizer_options; @context is the struct blame. If a file takes more than
 * two minutes of CPU time, SIGPROF ends the process: it has died on that file.
 */
void blame_working_on(void *context, const char *path);
enum symbolizer_skip blame_skip(void *context, const char *path);

#endif
