/* SPDX-License-Identifier: MIT */
/*
 * Languages whose interpreter keeps frames of its own (docs/RUNTIMES.md). One const table for each;
 * adding one takes a file and a line in runtimes.c. What comes from the target is not trusted.
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

/* A stack as unwound, and what its language's runtime says about it. */
struct runtime_sample {
	const struct record_runtime *record;
	const struct unwind_frame *frame; /* leaf first */
	size_t n;
	bool truncated; /* the frames do not reach the beginning of the stack */
	bool in_call;   /* the thread is in a system call, or blocked */
	struct unwind_piece piece[UNWIND_PIECES]; /* the copy of the stack */
};

/* The frames of the language that stand in the place of one frame of the stack. */
struct runtime_group {
	size_t frame;    /* index in runtime_sample.frame; ascending */
	size_t first, n; /* in runtime_stack.location */
};

struct runtime_stack {
	uint32_t *location; /* of all frames of the language, leaf first */
	size_t locations, location_room;
	struct runtime_group *group;
	size_t groups, group_room;
	/* whether the thread holds, or waits for, the lock of the interpreter */
	bool holds_lock, waits_for_lock;
};

struct runtime {
	const char *name;
	/*
	 * Is it in this address space? 1: yes: *@ret_state is to be released by free(), and
	 * *@ret_table says what the supervisor is to read (without pid). 0: no. -ENOTSUP: yes, but
	 * of a version that is not known; *@ret_state is then a sentence. -ENOMEM.
	 */
	int (*detect)(struct locations *locations, const struct space *space,
		struct runtime_table *ret_table, void **ret_state);
	/*
	 * Of a runtime that generates code: the caller of a frame of it, and its location, for
	 * unwind_frame.runtime_tag: the location and 1. It reads memory through @peek; what is
	 * not there yet makes it return as much as it knows, with peek->missed. Such a runtime has
	 * no table, and none of the functions object, merge and is_own. 1, 0, -ENOMEM as
	 * unwind_input.runtime.
	 */
	int (*step)(void *state, struct peek *peek, uint64_t now_ns,
		const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
	/* What there is to say about it; NULL: nothing. */
	const char *(*problem)(const void *state);
	/* Takes over a code object; an invalid one is dropped. -ENOMEM. */
	int (*object)(void *state, const struct record_object *object);
	/*
	 * Sets the groups and the locations of *@stack. 1: the frames agree with the stack; 0: they
	 * do not: only the locations are set. -ENOMEM.
	 */
	int (*merge)(void *state, const struct runtime_sample *sample, struct runtime_stack *stack);
	/* Is this frame one of the interpreter itself? */
	bool (*is_own)(const void *state, const struct unwind_frame *frame);
	void (*free)(void *state);
};

extern const struct runtime python_runtime, hotspot_runtime;

#endif
