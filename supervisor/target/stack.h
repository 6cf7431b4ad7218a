/* SPDX-License-Identifier: MIT */
/*
 * The live stack of a stopped thread, copied so that it can be unwound after the resume.
 *
 * The copy begins below the stack pointer, with the red zone, in whichever mapping that is: the
 * main thread's stack, another thread's, a coroutine's, an alternate signal stack. In a mapping
 * that is a stack, the copy goes to the mapping's end, as all of it is frames. Others, as the heap
 * with goroutines' stacks, may continue for megabytes behind the frames; there the analyst requests
 * the length (REQUEST_STACK in proto/request.h). A longer stack is cut and counted as truncated;
 * the next copy is longer.
 *
 * The mappings are known from /proc/PID/maps, read beforehand, so the stop window needs no /proc.
 * If a handler runs on an alternate stack, the kernel's signal frame tells where the interrupted
 * frames are; they are copied, too.
 *
 * The copy goes to a buffer whose pages are touched beforehand, and to the ring after the resume:
 * the first write to a page of the ring may take 1.4 us.
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
	/* CLOCK_MONOTONIC: from then on the kernel is asked about the range again */
	uint64_t check_ns;
	bool grows;    /* it grows downwards: it is the main thread's stack */
	bool is_stack; /* it grows, or an inaccessible mapping, a stack's guard, lies below it */
};

/* Memory of a process to which a stack pointer can point; the ranges are ascending, disjoint. */
struct stack_ranges {
	struct stack_range *range;
	size_t n, room;
	/* Address of argc: frames end below it, arguments and strings lie above. 0: unknown. */
	uint64_t bottom;
	uint32_t g_below;           /* bytes from word "g" to thread pointer; 0: no Go program */
	struct chunks_place chunks; /* where frames of Java's virtual threads are */
};

void stack_ranges_release(struct stack_ranges *ranges);

/*
 * Replaces the ranges by the readable and writable lines of a maps text: "7ffd0000-7ffd2100 rw-p
 * 00000000 00:00 0 [stack]\n" gives {0x7ffd0000, 0x7ffd2100}, growing. A range that contains
 * ranges->bottom ends there. 0, or -ENOMEM: only the first ranges are there.
 */
int stack_ranges_set(struct stack_ranges *ranges, const char *maps);

/* Returns the range that contains @sp, or will once it has grown; NULL: none is known. */
struct stack_range *stack_ranges_find(const struct stack_ranges *ranges, uint64_t sp);

/*
 * Corrects the range that covers @sp. @present: the mapping that the kernel reports there, NULL:
 * none. @guarded: an inaccessible mapping lies below it. 0, or -ENOMEM: nothing is changed.
 */
int stack_ranges_correct(struct stack_ranges *ranges, uint64_t sp,
	const struct mapped_range *present, bool guarded, uint64_t now_ns);

/* What is known of a thread's stacks from its earlier stops; 0: unknown. */
struct stack_home {
	uint64_t start, end; /* its stack while no handler runs */
	uint64_t sp;         /* its stack pointer at the last stop */
	uint64_t need;       /* bytes to copy where the end of the frames is unknown */
	/* The alternate stack on which a handler was seen; may lie inside the thread's stack. */
	uint64_t other_start, other_end;
};

struct stack_piece {
	uint8_t *data; /* in stack_copy.buffer */
	uint64_t base; /* address of its first byte */
	size_t bytes;
};

struct stack_copy {
	uint8_t *buffer; /* two pieces of @most bytes */
	size_t most;     /* 0: stacks are not wanted */
	/* for a dump: copies to the end of any mapping, as no second, longer copy can follow */
	bool whole;
	/*
	 * inner: from the stack pointer on. outer: the stack that a handler interrupted or, if
	 * left_sp is not 0, a goroutine's stack or the frames of a virtual thread. 0 bytes: none.
	 */
	struct stack_piece inner, outer;
	uint64_t limit; /* end of the mapping or stack that the stack pointer is in; 0: unknown */
	bool truncated; /* the stack is longer than the copy */
	/* fields of RECORD_SAMPLE_LEFT (proto/record.h); left_sp 0: not used */
	uint64_t left_pc, left_sp;
};

/* Allocates and touches buffers for stacks of @most bytes (0: no stacks). 0 or -ENOMEM. */
int stack_copy_init(struct stack_copy *copy, size_t most);
void stack_copy_release(struct stack_copy *copy);

/*
 * Copies the stack; may run in the stop window. Sets @copy, except its options, and @home. A piece
 * ends before unreadable memory.
 */
void stack_copy_take(struct stack_copy *copy, const struct remote *memory,
	const struct arch_snapshot *snapshot, const struct stack_ranges *ranges,
	struct stack_home *home);

#endif
