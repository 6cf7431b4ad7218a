/* SPDX-License-Identifier: MIT */
/*
 * Which file made an analyst die. The path of the file that foreign code works on is noted in
 * memory that outlives the process; whoever starts over leaves that file's debug information alone,
 * and the whole file if it was not that.
 */
#ifndef ANALYST_BLAME_H
#define ANALYST_BLAME_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/symbolizer.h"

#define BLAME_NOTE_BYTES 256
#define BLAME_MOST       32

struct blame {
	char *note; /* shared with whoever survives us */
	bool own_note;
	struct blamed {
		char path[BLAME_NOTE_BYTES];
		enum symbolizer_skip skip;
	} file[BLAME_MOST];
	size_t files;
};

/* On a zeroed structure, or one that has files only. @note: BLAME_NOTE_BYTES of shared memory, or
 * NULL to make some. -errno when there is none. */
int blame_init(struct blame *blame, char *note);
void blame_release(struct blame *blame);

/* The file was in work when a predecessor died. False: it was left alone already, or too many. */
bool blame_add(struct blame *blame, const char *path);

/*
 * The hooks of struct symbolizer_options; the context is the blame. A file that takes more than two
 * minutes of CPU time ends the process by SIGPROF: that is a death to be blamed, too.
 */
void blame_working_on(void *context, const char *path);
enum symbolizer_skip blame_skip(void *context, const char *path);

#endif
