/* SPDX-License-Identifier: MIT */
/*
 * The live stack of a stopped thread, copied so that it can be unwound after the resume.
 *
 * The copy begins at the stack pointer - red zone, in whichever mapping that is: the main thread's
 * stack, another thread's, a coroutine's, an alternate signal stack. In a mapping that is a stack
 * it goes to the end, for all of that is frames. Elsewhere, as in the heap where goroutines' stacks
 * lie, nothing tells where the frames end, and the mapping may go on for megabytes: there the copy
 * is as long as the thread's last stacks needed, and some more. That is what the analyst has found
 * when unwinding them, and has requested (proto/request.h). A stack that turns out to be longer is
 * cut, and counted as truncated; the next copy is longer.
 *
 * The mappings are known beforehand from the maps text, which is read anyway, so the stop window
 * needs no /proc. A handler on an alternate stack interrupted frames on another stack: the
 * kernel's signal frame tells where, and these are copied too.
 *
 * The copy goes to a buffer of our own, touched beforehand, and to the ring only after the resume:
 * the first write to a page of the ring may cost 1.4 us, which would lengthen the stop.
 */
#ifndef SUPERVISOR_STACK_H
#define SUPERVISOR_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/os/arch.h"
#include "supervisor/target/chunks.h"

struct mapped_range;
struct remote;

struct stack_range {
	uint64_t start, end;
	/* CLOCK_MONOTONIC: then the kernel is asked whether the range is still right */
	uint64_t check_ns;
	bool grows;    /* downwards: the main thread's */
	bool is_stack; /* it grows, or an inaccessible mapping lies below it: a stack's guard */
};

/* Memory of a process that can contain a stack pointer; ascending, disjoint. */
struct stack_ranges {
	struct stack_range *range;
	size_t n, room;
	/* Where the kernel put argc, 0 unknown: frames end below the arguments and strings. */
	uint64_t bottom;
	uint32_t g_below;           /* of a Go program (goroutine.h); 0: it is none */
	struct chunks_place chunks; /* of Java */
};

void stack_ranges_release(struct stack_ranges *ranges);

/*
 * Takes the readable and writable lines of a maps text: "7ffd0000-7ffd2100 rw-p 00000000 00:00 0
 * [stack]\n" gives {0x7ffd0000, 0x7ffd2100}, growing; the range ends at ranges->bottom if it
 * contains that address. -ENOMEM: the ranges are those that fitted.
 */
int stack_ranges_set(struct stack_ranges *ranges, const char *maps);

/* The range that contains @sp, or could contain it once the stack has grown; NULL: none known. */
struct stack_range *stack_ranges_find(const struct stack_ranges *ranges, uint64_t sp);

/*
 * Corrects the range that covers @sp. @present: the kernel's current answer, NULL: no mapping.
 * @guarded: an inaccessible mapping lies below it.
 */
int stack_ranges_correct(struct stack_ranges *ranges, uint64_t sp,
	const struct mapped_range *present, bool guarded, uint64_t now_ns);

/*
 * A thread's stack when no handler runs, its stack pointer at the last stop, and the alternate
 * stack on which a handler was seen, which may lie in the thread's own; 0 unknown.
 */
struct stack_home {
	uint64_t start, end, sp;
	uint64_t need; /* bytes to copy where a mapping is more than a stack; 0: not known yet */
	uint64_t other_start, other_end;
};

struct stack_piece {
	uint8_t *data; /* in the buffer */
	uint64_t base; /* address of its first byte */
	size_t bytes;
};

struct stack_copy {
	uint8_t *buffer; /* two pieces of @most bytes */
	size_t most;     /* 0: stacks are not wanted */
	bool whole;      /* copy to the end of any mapping: there is no next copy */
	/*
	 * outer: the stack that a handler interrupted, or (left_sp) a goroutine's or the frames of
	 * a virtual thread; bytes 0: none
	 */
	struct stack_piece inner, outer;
	uint64_t limit; /* end of the mapping that contains the stack pointer; 0 unknown */
	bool truncated; /* the stack is longer than the copy */
	uint64_t left_pc, left_sp; /* of RECORD_SAMPLE_LEFT; sp 0: none */
};

/* @most: maximum bytes of a stack, rounded up to pages. -ENOMEM. Touches the whole buffer. */
int stack_copy_init(struct stack_copy *copy, size_t most);
void stack_copy_release(struct stack_copy *copy);

/* Runs in the stop window of the thread. Updates @home. Unreadable parts are left out. */
void stack_copy_take(struct stack_copy *copy, const struct remote *memory,
	const struct arch_snapshot *snapshot, const struct stack_ranges *ranges,
	struct stack_home *home);

#endif
