/* SPDX-License-Identifier: MIT */
/*
 * The live stack of a stopped thread, copied so that it can be unwound after the resume.
 *
 * The copy begins below the stack pointer, with the red zone. The stack pointer may be in any
 * mapping: the stack of the main thread or of another thread, a coroutine's stack, an alternate
 * signal stack. If the mapping is a stack, the copy goes to its end, as all of it is frames.
 * Another mapping, such as the heap with stacks of goroutines, may continue for megabytes behind
 * the frames; then the length of the copy is what the analyst requests (REQUEST_STACK in
 * proto/request.h). If the stack is longer than the copy, the sample counts as truncated, and the
 * analyst requests more for the next one.
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
	/* CLOCK_MONOTONIC: when to ask the kernel again where the range begins and ends */
	uint64_t check_ns;
	bool grows; /* it is the main thread's stack, which grows downwards */
	/* it grows, or the mapping directly below it is inaccessible, like a stack's guard */
	bool is_stack;
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
 * Replaces the ranges by the readable and writable mappings in the text of /proc/PID/maps. Example:
 * the line "7ffd0000-7ffd2100 rw-p 00000000 00:00 0 [stack]\n" gives the range {0x7ffd0000,
 * 0x7ffd2100} with @grows true. A range that contains ranges->bottom is cut to end there. 0; or
 * -ENOMEM, and only the first ranges of the text are stored.
 */
int stack_ranges_set(struct stack_ranges *ranges, const char *maps);

/* Returns the range that contains @sp, or will once it has grown; NULL: none is known. */
struct stack_range *stack_ranges_find(const struct stack_ranges *ranges, uint64_t sp);

/*
 * Replaces the range that covers @sp by @present, the mapping that the kernel reports at @sp. If
 * @present is NULL, there is no mapping, and the range is removed. @guarded: the mapping directly
 * below @present is inaccessible. 0; or -ENOMEM, and nothing is changed.
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
	 * inner: the stack from the stack pointer on. outer: if left_sp is 0, the stack that a
	 * signal handler interrupted; otherwise a goroutine's stack, or the frames that a Java
	 * virtual thread has in the heap. A piece of 0 bytes is absent.
	 */
	struct stack_piece inner, outer;
	uint64_t limit; /* end of the mapping or stack that the stack pointer is in; 0: unknown */
	bool truncated; /* the stack is longer than the copy */
	/*
	 * what @outer is, if not an interrupted stack (see record_sample in proto/record.h);
	 * left_sp 0: not used
	 */
	uint64_t left_pc, left_sp;
};

/* Allocates and touches buffers for stacks of @most bytes (0: no stacks). 0 or -ENOMEM. */
int stack_copy_init(struct stack_copy *copy, size_t most);
void stack_copy_release(struct stack_copy *copy);

/*
 * Copies the stack of a thread with the registers @snapshot; may run in the stop window. Sets @home
 * and all fields of @copy, except buffer, most and whole. A piece ends before unreadable memory.
 */
void stack_copy_take(struct stack_copy *copy, const struct remote *memory,
	const struct arch_snapshot *snapshot, const struct stack_ranges *ranges,
	struct stack_home *home);

#endif
