/* SPDX-License-Identifier: MIT */
/*
 * The live stack of a stopped thread, copied so that it can be unwound after the resume.
 *
 * What is copied is [stack pointer - red zone, end of the mapping that the stack pointer is in),
 * whatever that mapping is: the main thread's stack, a thread's, a coroutine's, an alternate signal
 * stack. Where it ends is known beforehand from the maps text that is read anyway, so that the stop
 * window needs no /proc. A handler on an alternate stack interrupted frames on another one: the
 * kernel's signal frame tells where, and those are copied too.
 *
 * The copy goes to a buffer of our own, touched beforehand, and to the ring after the resume: pages
 * of the ring that are written for the first time cost 0.5 us each, which the target need not wait
 * for.
 */
#ifndef SUPERVISOR_STACK_H
#define SUPERVISOR_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/arch.h"

struct mapped_range;

struct stack_range {
	uint64_t start, end;
	uint64_t check_ns; /* when to ask whether it is still so */
	bool grows;        /* downwards: the main thread's */
};

/* Memory of a process that a stack pointer can be in; ascending, disjoint. */
struct stack_ranges {
	struct stack_range *range;
	size_t n, room;
	/* Where the kernel put argc, 0 unknown: no frame reaches the arguments and strings behind
	 * it. */
	uint64_t bottom;
};

void stack_ranges_release(struct stack_ranges *ranges);

/*
 * Takes the readable and writable lines of a maps text:
 * "7ffd0000-7ffd2100 rw-p 00000000 00:00 0    [stack]\n" gives {0x7ffd0000, 0x7ffd2100}, growing;
 * it ends at ranges->bottom if that is in it.
 * -ENOMEM: what is there is the part that fitted.
 */
int stack_ranges_set(struct stack_ranges *ranges, const char *maps);

/* The range that @sp is in, or could be once the stack has grown; NULL: none is known. */
struct stack_range *stack_ranges_find(const struct stack_ranges *ranges, uint64_t sp);

/* What the kernel says now about the mapping that covers @sp (@present NULL: there is none). */
int stack_ranges_correct(struct stack_ranges *ranges, uint64_t sp,
	const struct mapped_range *present, uint64_t now_ns);

/* Where a thread's stack is when no handler runs, and where it stood in its last stop; 0 unknown.
 */
struct stack_home {
	uint64_t start, end, sp;
};

struct stack_piece {
	uint8_t *data; /* in the buffer */
	uint64_t base; /* address of its first byte */
	size_t bytes;
};

struct stack_copy {
	uint8_t *buffer;                 /* two pieces of @most bytes */
	size_t most;                     /* 0: stacks are not wanted */
	struct stack_piece inner, outer; /* outer: what a handler interrupted; bytes 0 none */
	struct stack_piece guess;        /* of the thread that is stopped, if bytes is not 0 */
	uint64_t limit;                  /* end of the mapping of the stack pointer; 0 unknown */
	bool truncated;                  /* there is more than what was copied */
};

/* @most: bytes of a stack, rounded up to pages. -ENOMEM. Touches all of it. */
int stack_copy_init(struct stack_copy *copy, size_t most);
void stack_copy_release(struct stack_copy *copy);

/*
 * In the stop window of @tid, before its registers are read: reads its stack from a little below
 * where it last stood, if it is short. That uses the time which a thread on another CPU takes to
 * leave that: 3 us, as much as a copy takes. stack_copy_take() then makes use of it, if the stack
 * pointer is not further down. What we took the CPU from stands still already, and needs none.
 */
void stack_copy_guess(struct stack_copy *copy, int tid, const struct stack_ranges *ranges,
	const struct stack_home *home);
/* The window ends: a guess that was not used is worth nothing any more. */
void stack_copy_forget(struct stack_copy *copy);

/* Runs in the stop window of @tid. @home is updated. What cannot be read is left out. */
void stack_copy_take(struct stack_copy *copy, int tid, const struct arch_snapshot *snapshot,
	const struct stack_ranges *ranges, struct stack_home *home);

#endif
