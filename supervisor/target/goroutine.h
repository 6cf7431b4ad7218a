/* SPDX-License-Identifier: MIT */
/*
 * The stack of the goroutine that a thread of a Go program works for.
 *
 * Goroutines have stacks of their own, in the heap. The mapping does not tell where such a stack
 * ends, but the goroutine does. A thread leaves the goroutine's stack for its own to call C, to
 * enlarge the goroutine's stack, and for other work of the runtime; the goroutine then tells at
 * which sp and pc its stack was left.
 *
 * Layout (runtime/runtime2.go, Go 1.18 to 1.27): the thread-local word "g" points to the goroutine,
 * whose words are
 *
 *	0 lowest address of its stack, 1 end of it, 6 its thread ("m"),
 *	7 sp and 8 pc at which its stack was left
 *
 * Word 0 of the thread points to the goroutine of the thread's own stack. The word that points to
 * the goroutine it works for ("curg") is some 24 words further on; it is recognized by its word 6,
 * which points back to the thread.
 */
#ifndef SUPERVISOR_GOROUTINE_H
#define SUPERVISOR_GOROUTINE_H

#include <stdint.h>

struct arch_snapshot;
struct remote;

struct goroutine {
	uint64_t end; /* end of the stack that the thread is on; 0: not known */
	/* The goroutine's stack, if the thread has left it. left_sp 0: not left, or unknown. */
	uint64_t left_sp, left_end;
	uint64_t left_pc; /* 0: the thread is in the vdso, which was called at left_sp */
};

/*
 * Finds the stack of a thread's goroutine; for the stop window: at most 11 reads. @g_below: bytes
 * from the word "g" up to the thread pointer. What is read is not trusted: where it is
 * inconsistent, fields stay 0.
 */
void goroutine_find(const struct remote *memory, const struct arch_snapshot *snapshot,
	uint32_t g_below, struct goroutine *ret_goroutine);

#endif
