/* SPDX-License-Identifier: MIT */
/*
 * Interface to a language's runtime whose frames are not native ones (docs/RUNTIMES.md). What is
 * read from the target is not trusted.
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

/* An unwound stack, and @record: the language's frames that the supervisor has read. */
struct runtime_sample {
	const struct record_runtime *record;
	const struct unwind_frame *frame; /* leaf first */
	size_t n;
	bool truncated; /* the frames do not reach the beginning of the stack */
	bool in_call;   /* the thread is in a system call, or blocked */
	struct unwind_piece piece[UNWIND_PIECES]; /* the copy of the stack */
};

/* Frames of the language that replace one native frame. */
struct runtime_group {
	size_t frame; /* index in runtime_sample.frame; ascending */
	/* locations of its frames: @n elements of runtime_stack.location, from index @first on */
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
	 * Does the address space contain this runtime? 1: yes; the caller releases *@ret_state by
	 * runtime.free(), and *@ret_table says what the supervisor is to read (runtime_table.pid is
	 * not set). 0: no. -ENOTSUP: yes, but its version is unknown; *@ret_state is then a
	 * constant text, a sentence for the user. -ENOMEM.
	 */
	int (*detect)(struct locations *locations, const struct space *space,
		struct runtime_table *ret_table, void **ret_state);
	/*
	 * Finds the caller of a frame of generated code, and sets ret_caller->tag to the index of
	 * the frame's location + 1. Reads memory through @peek. If memory is missing, sets what is
	 * known without it, and peek->missed is true. 1: the code is the runtime's, even if no
	 * caller is found; 0: it is not; -ENOMEM. NULL if the runtime generates no code; otherwise
	 * the runtime has no table, object(), merge() or is_own().
	 */
	int (*step)(void *state, struct peek *peek, uint64_t now_ns,
		const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
	/* Says to the user why the language's frames are not shown; NULL: they are shown. */
	const char *(*problem)(const void *state);
	/* Copies a code object that the supervisor has read; drops an invalid one. -ENOMEM. */
	int (*object)(void *state, const struct record_object *object);
	/*
	 * Sets *@stack. 1: done; 0: the record contradicts the native stack, so @stack has no
	 * groups; -ENOMEM.
	 */
	int (*merge)(void *state, const struct runtime_sample *sample, struct runtime_stack *stack);
	/* Is this native frame in the interpreter's file? */
	bool (*is_own)(const void *state, const struct unwind_frame *frame);
	void (*free)(void *state);
};

extern const struct runtime python_runtime, hotspot_runtime;

#endif
