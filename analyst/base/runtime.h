/* SPDX-License-Identifier: MIT */
/*
 * The interface of a language's runtime that keeps frames of its own (docs/RUNTIMES.md): one const
 * table for each. Adding one takes a file and a line in runtimes.c. Data of the target are not
 * trusted.
 */
#ifndef ANALYST_RUNTIME_H
#define ANALYST_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"
#include "symbolizer/unwind/unwind.h"

struct locations;
struct peek;
struct space;

/* An unwound stack, and what the supervisor has read of the runtime's own frames (@record). */
struct runtime_sample {
	const struct record_runtime *record;
	const struct unwind_frame *frame; /* leaf first */
	size_t n;
	bool truncated; /* the frames do not reach the beginning of the stack */
	bool in_call;   /* the thread is in a system call, or blocked */
	struct unwind_piece piece[UNWIND_PIECES]; /* the copy of the stack */
};

/* The frames of the language that replace one frame of the native stack. */
struct runtime_group {
	size_t frame; /* index in runtime_sample.frame; ascending */
	/* index in runtime_stack.location of the first location, and their number */
	size_t first, n;
};

struct runtime_stack {
	uint32_t *location; /* of all frames of the language, leaf first */
	size_t locations, location_room;
	struct runtime_group *group;
	size_t groups, group_room;
	/* Does the thread hold, or wait for, the interpreter's lock? */
	bool holds_lock, waits_for_lock;
};

struct runtime {
	const char *name;
	/*
	 * Is this runtime in the address space? 1: yes; the caller releases *@ret_state by free(),
	 * and *@ret_table says what the supervisor is to read (its pid is not set). 0: no.
	 * -ENOTSUP: yes, but its version is not known; *@ret_state is then a constant string, a
	 * sentence for the user. -ENOMEM.
	 */
	int (*detect)(struct locations *locations, const struct space *space,
		struct runtime_table *ret_table, void **ret_state);
	/*
	 * Only of a runtime that generates code: finds the caller of a frame of that code, and sets
	 * ret_caller->tag to the frame's location + 1. It reads memory through @peek; if memory has
	 * not arrived yet, it returns what it knows, and peek->missed is set. Such a runtime has no
	 * table, and none of the functions object, merge and is_own. The results are those of
	 * unwind_input.runtime: 1, 0, -ENOMEM.
	 */
	int (*step)(void *state, struct peek *peek, uint64_t now_ns,
		const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
	/* A sentence for the user: why the language's frames are not shown. NULL: they are. */
	const char *(*problem)(const void *state);
	/* Copies a code object that the supervisor has read; drops an invalid one. 0, -ENOMEM. */
	int (*object)(void *state, const struct record_object *object);
	/*
	 * Sets the groups and the locations of *@stack. 1: the frames agree with the stack; 0: they
	 * do not: only the locations are set. -ENOMEM.
	 */
	int (*merge)(void *state, const struct runtime_sample *sample, struct runtime_stack *stack);
	/* Is this a native frame of the interpreter itself? */
	bool (*is_own)(const void *state, const struct unwind_frame *frame);
	void (*free)(void *state);
};

extern const struct runtime python_runtime, hotspot_runtime;

#endif
