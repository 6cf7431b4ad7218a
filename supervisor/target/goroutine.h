/* SPDX-License-Identifier: MIT */
/*
 * The stack of the goroutine that a thread of a Go program works for.
 *
 * Goroutines have stacks of their own, in the heap: the mapping does not tell where one ends, but
 * the goroutine does. A thread leaves it for its own stack to call C, to let it grow and for other
 * work of the runtime; the goroutine then says where it left it.
 *
 * Layout (runtime/runtime2.go, Go 1.18 to 1.27): the thread-local word "g" points to the goroutine,
 * whose words are
 *
 *	0 lowest address of its stack, 1 end of it, 6 its thread ("m"), 7 sp and 8 pc where it left
 *
 * and word 0 of the thread is the goroutine of the thread's own stack; the one that it works for
 * ("curg") is some 24 words further on, and leads back to the thread.
 */
#ifndef SUPERVISOR_GOROUTINE_H
#define SUPERVISOR_GOROUTINE_H

#include <stdint.h>

struct arch_snapshot;
struct remote;

struct goroutine {
	uint64_t end; /* of the stack that the thread is on; 0: not known */
	/*
	 * The goroutine's stack, if the thread is on another one; left_sp 0: it is not, or is not
	 * known.
	 */
	uint64_t left_sp, left_end;
	uint64_t left_pc; /* 0: the thread is in the vdso, called with that stack pointer */
};

/*
 * Runs in the stop window of the thread: at most 12 reads of some words. @g_below: the distance of
 * the word "g" from the thread pointer, downwards. What is read is not trusted; nothing is assumed
 * if it does not fit together.
 */
void goroutine_find(const struct remote *memory, const struct arch_snapshot *snapshot,
	uint32_t g_below, struct goroutine *ret_goroutine);

#endif
