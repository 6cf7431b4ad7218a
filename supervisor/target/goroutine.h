/* SPDX-License-Identifier: MIT */
/*
 * The stack of the goroutine that a thread of a Go program runs.
 *
 * Goroutines have stacks in the heap. The memory mapping does not tell where such a stack ends, but
 * the goroutine's descriptor does. To call C, to enlarge the goroutine's stack, and for other work
 * of the runtime, the thread switches from the goroutine's stack to the thread's own stack. The
 * goroutine's descriptor then has the sp and the pc at which the thread left the goroutine's stack.
 *
 * Layout (runtime/runtime2.go, Go 1.18 to 1.27): the thread-local word "g" points to the descriptor
 * of a goroutine, whose words are
 *
 * 	0 lowest address of its stack, 1 end of it, 6 its thread's descriptor ("m"),
 * 	7 sp and 8 pc at which its stack was left
 *
 * Word 0 of the thread's descriptor points to the goroutine "g0", whose stack is the thread's own.
 * Some 24 words further on, the word "curg" points to the goroutine that the thread runs. The word
 * is recognized because word 6 of that goroutine points back to the thread's descriptor.
 */
#ifndef SUPERVISOR_GOROUTINE_H
#define SUPERVISOR_GOROUTINE_H

#include <stdint.h>

struct arch_snapshot;
struct remote;

struct goroutine {
	uint64_t end; /* end of the stack that the thread is on; 0: not known */
	/*
	 * If the thread has switched from the goroutine's stack to another: where it left that
	 * stack, and the stack's end. left_sp 0: it has not switched, or that is unknown.
	 */
	uint64_t left_sp, left_end;
	uint64_t left_pc; /* 0: the thread is in the vdso, which was called at left_sp */
};

/*
 * Finds the stack of the goroutine that a thread runs. May run in the stop window: makes at most 11
 * reads. @g_below: bytes from the word "g" up to the thread pointer. The memory read is not
 * trusted. Fields whose values are unreadable or inconsistent are 0.
 */
void goroutine_find(const struct remote *memory, const struct arch_snapshot *snapshot,
	uint32_t g_below, struct goroutine *ret_goroutine);

#endif
