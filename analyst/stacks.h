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

/* The frame between a function and its guessed caller: see struct unwind_frame. */
#define STACKS_GUESSED "[guessed]"

/* Leaves of threads that were observed blocked, but not in a system call. */
#define STACKS_BLOCKED "[blocked]"
#define STACKS_STOPPED "[stopped]"

struct stacks {
	struct locations *locations; /* borrowed */
	struct unwinder *unwinder;
	bool frame_pointers, live;
	uint32_t *location; /* locations of the current stack, leaf first */
	size_t room;
	/* locations of the marks; -1: not added yet */
	int truncated_mark, incomplete_mark, signal_mark, guessed_mark, blocked_mark, stopped_mark,
		none_mark, lock_mark;
	struct stacks_call {
		uint16_t machine;
		int32_t number;
		uint32_t location;
	} * call; /* system calls seen so far */
	size_t calls, call_room;
	uint64_t truncated, incomplete, guessed;
	/* The sample that was unwound by stacks_probe() just before, and its stack; 0: none. */
	uint64_t probed_ns;
	uint32_t probed_tid;
	struct unwind_result probed_result;
	struct jit_budget jit_budget;
	struct runtimes *runtimes; /* borrowed; NULL: none */
	/* As stack_needs() of struct analyst_options. */
	void (*stack_needs)(void *context, uint32_t tid, uint64_t bytes);
	void *context;
};

/* @live: the processes may be alive. -ENOMEM. */
int stacks_init(struct stacks *stacks, struct locations *locations, bool frame_pointers, bool live);
void stacks_release(struct stacks *stacks);

/*
 * Unwinds the stack of a sample of @time_ns; stacks_take() of the same sample, next, does not do so
 * again. 0; -EAGAIN: memory of the process is
 * needed for it, and is to be requested; -ENOMEM. @image has a runtime that unwinds its code.
 */
int stacks_probe(struct stacks *stacks, struct image_space *image, struct thread_name *thread,
	uint64_t time_ns, const struct record_sample *sample);

/*
 * Unwinds the stack of a sample, leaf first, into *@ret_stack, valid until the next call; returns
 * its length. A sample without registers gives only the location of its pc. A caller's address is
 * that of the call. @image has a space. -ENOMEM. *@ret_guessed: some frames were guessed.
 */
int stacks_take(struct stacks *stacks, struct image_space *image, struct thread_name *thread,
	uint64_t time_ns, const struct record_sample *sample, const uint32_t **ret_stack,
	bool *ret_guessed);

#endif
