/* SPDX-License-Identifier: MIT */
/*
 * The inside of the export for the Firefox Profiler: its processed profile format, version 58
 * (src/types/profile.ts of github.com/firefox-devtools/profiler): tables of columns, whose rows
 * refer to each other by index. Strings, sources and libraries are the profile's, all else is a
 * thread's.
 */
#ifndef VIEW_FIREFOX_H
#define VIEW_FIREFOX_H

#include "profile/timeline.h"
#include "view/frames.h"
#include "view/moments.h"
#include "view/pairs.h"

struct firefox_thread {
	struct pairs stack;    /* prefix + 1 (0 none), frame */
	struct pairs frame;    /* location, depth of inlining */
	struct pairs function; /* place, source + 1 (0 none) */
	struct pairs resource; /* library */
	struct pairs symbol;   /* place of the real function, library */
};

/* A wait of a thread: times since the beginning of the profile. */
struct firefox_wait {
	uint64_t from_ns, to_ns;
	uint32_t sample, task;
	enum timeline_state state;
	uint32_t place; /* of its leaf, or FIREFOX_NO_PLACE */
	int stack;      /* as firefox_add_stack() tells it */
};

struct firefox_waits {
	struct firefox_wait *wait; /* by task and time */
	size_t n, room;
	size_t at, first, chosen; /* walked up to; those of the thread that is written */
};

enum { FIREFOX_NO_PLACE = UINT32_MAX };
/* The type of a wait's marker. */
#define FIREFOX_WAIT "Wait"

struct firefox {
	struct frames *frames;
	const struct moments *moments; /* NULL: the profile has no time line */
	struct pool strings;
	struct pairs source;  /* string of its file name */
	struct pairs library; /* mapping's file and build-id (unique pointers) */
	uint32_t *mapping;    /* by library: one of it */
	size_t mapping_room;
	uint64_t *address; /* by place: of it, the lowest that was seen */
	struct firefox_thread thread;
	struct firefox_waits waits;
	FILE *out;
};

/* The stack table's index of the stack taken last; -1: it has no frames. -ENOMEM. */
int firefox_add_stack(struct firefox *f, int *ret_stack);

/* stackTable, frameTable, funcTable, resourceTable and nativeSymbols, each with a comma behind. */
int firefox_put_tables(struct firefox *f);
void firefox_forget_thread(struct firefox *f);

/* Waits as markers (firefox_markers.c). All of the time line; -ENOMEM. */
int firefox_find_waits(struct firefox *f);
void firefox_forget_waits(struct firefox *f);
/* Those of @task, of which each has a stack then; tasks ascend from call to call. -ENOMEM. */
int firefox_take_waits(struct firefox *f, uint32_t task);
/* The end of a thread, with its markers. -ENOMEM. */
int firefox_put_markers(struct firefox *f);
/* With a comma behind. */
void firefox_put_marker_schema(const struct firefox *f);

/* Indexes of meta.categories. */
enum { FIREFOX_OTHER, FIREFOX_PROGRAM, FIREFOX_LIBRARY, FIREFOX_SYSTEM_CALL };

#endif
