/* SPDX-License-Identifier: MIT */
/*
 * How many bytes the supervisor copies of a stack whose end it does not know
 * (supervisor/target/stack.h). Pure.
 */
#ifndef ANALYST_STACK_NEED_H
#define ANALYST_STACK_NEED_H

#include <stdbool.h>
#include <stdint.h>

struct stack_need {
	uint64_t bytes;     /* bytes needed and a reserve; falls slowly */
	uint64_t requested; /* last requested from the supervisor; 0: nothing */
};

/*
 * Notes a stack. @copied: bytes copied; @used: those that belong to the stack; @cut: the stack goes
 * on behind the copy. Returns the bytes to request, a power of two; 0: no new request.
 */
uint64_t stack_need_note(struct stack_need *need, uint64_t used, uint64_t copied, bool cut);

#endif
