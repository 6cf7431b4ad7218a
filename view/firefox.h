/* SPDX-License-Identifier: MIT */
/*
 * The inside of the export for the Firefox Profiler: its processed profile format, version 58
 * (src/types/profile.ts of github.com/firefox-devtools/profiler): tables of columns, whose rows
 * refer to each other by index. Strings, sources and libraries are the profile's, all else is a
 * thread's.
 */
#ifndef VIEW_FIREFOX_H
#define VIEW_FIREFOX_H

#include "view/frames.h"

/* Pairs of numbers, each kept once, in order of first appearance. */
struct pair {
	uint64_t a, b;
};

struct pairs {
	struct table table;
	struct pair *pair;
	size_t n, room;
};

/* The index of the pair, which is added if it is new; -ENOMEM. */
int pairs_add(struct pairs *pairs, uint64_t a, uint64_t b);
void pairs_release(struct pairs *pairs);

struct firefox_thread {
	struct pairs stack;    /* prefix + 1 (0 none), frame */
	struct pairs frame;    /* location, depth of inlining */
	struct pairs function; /* place, source + 1 (0 none) */
	struct pairs resource; /* library */
	struct pairs symbol;   /* place of the real function, library */
};

struct firefox {
	struct frames *frames;
	struct pool strings;
	struct pairs source;  /* string of its file name */
	struct pairs library; /* mapping's file and build-id (unique pointers) */
	uint32_t *mapping;    /* by library: one of it */
	size_t mapping_room;
	uint64_t *address; /* by place: of it, the lowest that was seen */
	struct firefox_thread thread;
	FILE *out;
};

/* The stack table's index of the stack taken last; -1: it has no frames. -ENOMEM. */
int firefox_add_stack(struct firefox *f, int *ret_stack);

/* stackTable, frameTable, funcTable, resourceTable and nativeSymbols, each with a comma behind. */
int firefox_put_tables(struct firefox *f);
void firefox_forget_thread(struct firefox *f);

/* Indexes of meta.categories. */
enum { FIREFOX_OTHER, FIREFOX_PROGRAM, FIREFOX_LIBRARY, FIREFOX_SYSTEM_CALL };

#endif
