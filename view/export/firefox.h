/* SPDX-License-Identifier: MIT */
/*
 * The export for the Firefox Profiler, in its "processed profile format", version 58
 * (src/types/profile.ts of github.com/firefox-devtools/profiler): tables of columns, whose rows
 * refer to each other by index. The tables of strings, sources and libraries are about the whole
 * profile. Each thread has its own copy of the other tables.
 */
#ifndef VIEW_EXPORT_FIREFOX_H
#define VIEW_EXPORT_FIREFOX_H

#include "profile/timeline.h"
#include "view/frames.h"
#include "view/moments.h"
#include "view/pairs.h"

/*
 * The tables of the current thread. A pair of numbers identifies a row of a table. The comments say
 * what the two numbers are.
 */
enum firefox_kind {
	FIREFOX_STACKS,    /* index of the caller's stack (-1: none); frame */
	FIREFOX_FRAMES,    /* location; depth of inlining */
	FIREFOX_FUNCTIONS, /* place; index of the source file (-1: none) */
	FIREFOX_RESOURCES, /* index of the library; 0, as one number identifies the row */
	FIREFOX_SYMBOLS,   /* place of a function that is not inlined; library */
	FIREFOX_TABLES
};

struct firefox_table {
	struct pairs rows;
	int64_t *number; /* further numbers of each row, row after row; a negative one: null */
	size_t room;
};

/* A wait of a thread. Times are since the beginning of the profile. */
struct firefox_wait {
	uint64_t from_ns, to_ns;
	uint32_t sample, task;
	enum timeline_state state;
	uint32_t place; /* the leaf's place, or FIREFOX_NO_PLACE */
	int stack;      /* index in the table of stacks */
};

struct firefox_waits {
	struct firefox_wait *wait; /* by task and time */
	size_t n, room;
	size_t at;            /* index of the first wait of the tasks not yet selected */
	size_t first, chosen; /* index of the current thread's first wait; number of its waits */
};

enum { FIREFOX_NO_PLACE = UINT32_MAX };
/* The type of a wait's marker. */
#define FIREFOX_WAIT "Wait"

struct firefox {
	struct frames *frames;
	const struct moments *moments; /* NULL: no time line */
	double samples;                /* number in the whole profile; may exceed an int64_t */
	struct pool strings;
	struct pairs source;  /* id of the file name in @strings; 0 */
	struct pairs library; /* the mapping's file and build_id, pool pointers */
	uint32_t *mapping;    /* by library: one of its mappings */
	size_t mapping_room;
	uint64_t *address; /* by place: lowest address seen */
	struct firefox_table table[FIREFOX_TABLES];
	struct firefox_waits waits;
	FILE *out;
};

/*
 * Adds the stack in f->frames, the last that was taken, if the thread's table lacks it.
 * *@ret_stack: the stack's index; -1: it has no frames. 0 or -ENOMEM.
 */
int firefox_add_stack(struct firefox *f, int *ret_stack);

/* Writes the tables from stackTable to nativeSymbols, a comma behind each. */
void firefox_put_tables(struct firefox *f);
void firefox_forget_thread(struct firefox *f);

/* Finds the time line's waits, which become markers. 0 or -ENOMEM. */
int firefox_find_waits(struct firefox *f);
void firefox_forget_waits(struct firefox *f);
/*
 * Selects the waits of @task, and sets their stacks. Each call must have a greater @task than the
 * one before, because waits are read in the order of tasks. 0 or -ENOMEM.
 */
int firefox_take_waits(struct firefox *f, uint32_t task);
/* Writes the markers, the last member of a thread's JSON object. 0 or -ENOMEM. */
int firefox_put_markers(struct firefox *f);
/* Writes the markers' schema and a comma. */
void firefox_put_marker_schema(const struct firefox *f);

enum {
	FIREFOX_OTHER,
	FIREFOX_PROGRAM,
	FIREFOX_LIBRARY,
	FIREFOX_SYSTEM_CALL,
	FIREFOX_PYTHON,
	FIREFOX_JAVA,
};

#endif
