/* SPDX-License-Identifier: MIT */
/* Converts a sample to the locations of its stack. */
#ifndef ANALYST_STACKS_H
#define ANALYST_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/jit/jit.h"
#include "symbolizer/unwind/unwind.h"

struct image_space;
struct locations;
struct record_sample;
struct runtimes;
struct thread_name;
struct unwinder;

/* Outermost frames that say why a stack does not reach its beginning. */
#define STACKS_TRUNCATED  "[truncated]"
#define STACKS_INCOMPLETE "[incomplete]"

/* The frame between a signal handler and the frames that it interrupted. */
#define STACKS_SIGNAL "[signal]"

/*
 * The frame between a function and its caller if the caller was found by a search of the stack
 * (unwind_frame.searched).
 */
#define STACKS_GUESSED "[guessed]"

/* Leaves of threads observed blocked, but not in a system call. */
#define STACKS_BLOCKED "[blocked]"
#define STACKS_STOPPED "[stopped]"

enum stacks_mark {
	MARK_TRUNCATED,
	MARK_INCOMPLETE,
	MARK_SIGNAL,
	MARK_GUESSED,
	MARK_BLOCKED,
	MARK_STOPPED,
	MARK_NO_LANGUAGE, /* only the language is shown, and it has no frame */
	MARK_LOCK,
	STACKS_MARKS,
};

struct stacks {
	struct locations *locations; /* borrowed */
	struct unwinder *unwinder;
	bool frame_pointers, live;
	uint32_t *location; /* the current stack, leaf first */
	size_t room;
	/* for each mark (a frame that is no function), its location + 1; 0: not added yet */
	uint32_t mark[STACKS_MARKS];
	struct stacks_call {
		uint16_t machine;
		int32_t number;
		uint32_t location;
	} * call; /* system calls seen so far */
	size_t calls, call_room;
	uint64_t truncated, incomplete, guessed;
	/* Time (0: none) and thread of the last sample of stacks_probe(), and the result. */
	uint64_t probed_ns;
	uint32_t probed_tid;
	struct unwind_result probed_result;
	struct jit_budget jit_budget;
	struct runtimes *runtimes; /* borrowed; NULL: none */
	/* See struct analyst_options. */
	void (*stack_needs)(void *context, uint32_t tid, uint64_t bytes);
	void *context;
};

/* @live: the processes may be alive. -ENOMEM. */
int stacks_init(struct stacks *stacks, struct locations *locations, bool frame_pointers, bool live);
void stacks_release(struct stacks *stacks);

/*
 * Unwinds the stack of a sample of @time_ns. If the next call is stacks_take() for the same sample,
 * that call uses the result. @image must have a runtime that unwinds its own code. 0; -EAGAIN:
 * memory is needed first; -ENOMEM.
 */
int stacks_probe(struct stacks *stacks, struct image_space *image, uint64_t time_ns,
	const struct record_sample *sample);

/*
 * Unwinds the stack of a sample. Returns the number of locations in *@ret_stack, leaf first, valid
 * until the next call; -ENOMEM. A sample without registers has one frame, its pc. A caller's
 * location is the address of its call instruction. *@ret_guessed: some frames were guessed. @image
 * must have a space.
 */
int stacks_take(struct stacks *stacks, struct image_space *image, struct thread_name *thread,
	uint64_t time_ns, const struct record_sample *sample, const uint32_t **ret_stack,
	bool *ret_guessed);

#endif
