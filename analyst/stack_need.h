/* SPDX-License-Identifier: MIT */
/*
 * How much of a thread's stack the supervisor shall copy if it does not know where the stack ends:
 * as much as the last stacks needed, and some more. Pure arithmetic. See supervisor/target/stack.h.
 */
#ifndef ANALYST_STACK_NEED_H
#define ANALYST_STACK_NEED_H

#include <stdbool.h>
#include <stdint.h>

struct stack_need {
	uint64_t bytes;     /* bytes needed, plus a reserve; falls slowly */
	uint64_t requested; /* bytes last requested from the supervisor; 0: nothing yet */
};

/*
 * Notes a stack. @copied: bytes that were copied; @used: how many of them belong to the stack;
 * @cut: the stack goes on behind the copy. Returns the length to request from the supervisor, a
 * power of two; 0: the same as before.
 */
uint64_t stack_need_note(struct stack_need *need, uint64_t used, uint64_t copied, bool cut);

#endif
