/* SPDX-License-Identifier: MIT */
/*
 * How much of a thread's stacks the supervisor is to copy where it cannot tell where they end: as
 * much as the last ones needed, and some more. Pure arithmetic. See supervisor/target/stack.h.
 */
#ifndef ANALYST_STACK_NEED_H
#define ANALYST_STACK_NEED_H

#include <stdbool.h>
#include <stdint.h>

struct stack_need {
	uint64_t bytes;     /* bytes needed, with the reserve; falls slowly */
	uint64_t requested; /* bytes requested of the supervisor; 0: nothing yet */
};

/*
 * A stack of which @copied bytes were copied took @used bytes, or (@cut) goes on behind the copy.
 * Returns the length to request of the supervisor, a power of two; 0: nothing new.
 */
uint64_t stack_need_note(struct stack_need *need, uint64_t used, uint64_t copied, bool cut);

#endif
