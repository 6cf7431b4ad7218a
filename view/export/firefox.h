/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the export for the Firefox Profiler: its processed profile format, version
 * 58 (src/types/profile.ts of github.com/firefox-devtools/profiler): tables of columns, whose rows
 * refer to each other by index. Strings, sources and libraries belong to the profile, everything
 * else to a thread.
 */
#ifndef VIEW_EXPORT_FIREFOX_H
#define VIEW_EXPORT_FIREFOX_H

#include "profile/timeline.h"
#include "view/frames.h"
#include "view/moments.h"
#include "view/pairs.h"

struct firefox_thread {
	struct pairs stack;    /* prefix + 1 (0 none), frame */
	struct pairs frame;    /* location, depth of inlining */
	struct pairs function; /* place, source + 1 (0 none) */
	struct pairs resource; /* library */
	struct pairs symbol;   /* place of the function that is not inlined, library */
};

/* A wait of a thread: times since the beginning of the profile. */
struct firefox_wait {
	uint64_t from_ns, to_ns;
	uint32_t sample, task;
	enum timeline_state state;
	uint32_t place; /* place of its leaf, or FIREFOX_NO_PLACE */
	int stack;      /* from firefox_add_stack() */
};

struct firefox_waits {
	struct firefox_wait *wait; /* by task and time */
	size_t n, room;
	/* position in the waits; first wait and number of waits of the current thread */
	size_t at, first, chosen;
};

enum { FIREFOX_NO_PLACE = UINT32_MAX };
/* The type of a wait's marker. */
#define FIREFOX_WAIT "Wait"

struct firefox {
	struct frames *frames;
	const struct moments *moments; /* NULL: the profile has no time line */
	double samples; /* sum of the samples of the whole profile: may exceed an int64_t */
	struct pool strings;
	struct pairs source;  /* string of its file name */
	struct pairs library; /* file and build-id of the mapping (unique pointers) */
	uint32_t *mapping;    /* by library: one of its mappings */
	size_t mapping_room;
	uint64_t *address; /* by place: the lowest address seen */
	struct firefox_thread thread;
	struct firefox_waits waits;
	FILE *out;
};

/* The index in the stack table of the last stack taken; -1: it has no frames. -ENOMEM. */
int firefox_add_stack(struct firefox *f, int *ret_stack);

/*
 * Write stackTable, frameTable, funcTable, resourceTable and nativeSymbols, each followed by a
 * comma.
 */
int firefox_put_tables(struct firefox *f);
void firefox_forget_thread(struct firefox *f);

/* Waits as markers (firefox_markers.c). Finds all waits of the time line; -ENOMEM. */
int firefox_find_waits(struct firefox *f);
void firefox_forget_waits(struct firefox *f);
/* Selects the waits of @task, and sets their stacks; tasks ascend from call to call. -ENOMEM. */
int firefox_take_waits(struct firefox *f, uint32_t task);
/* Writes the end of a thread, with its markers. -ENOMEM. */
int firefox_put_markers(struct firefox *f);
/* Writes the schema of the markers, followed by a comma. */
void firefox_put_marker_schema(const struct firefox *f);

/* Indexes of meta.categories. */
enum {
	FIREFOX_OTHER,
	FIREFOX_PROGRAM,
	FIREFOX_LIBRARY,
	FIREFOX_SYSTEM_CALL,
	FIREFOX_PYTHON,
	FIREFOX_JAVA,
};

#endif
