/* SPDX-License-Identifier: MIT */
#include "analyst/stack_need.h"

#include "proto/request.h"

#define LEAST_BYTES 8192
/* A stack may grow by half of its size plus RESERVE_BYTES without being cut. */
#define RESERVE_BYTES 4096
/* After the copy has cut a stack, the next copy is longer by this factor. */
#define CUT_FACTOR 4
/*
 * Each stack first lowers need->bytes by 1/FALL_PART. So 90 stacks that need less lower it to a
 * quarter: (1 - 1/64)^90 = 0.24.
 */
#define FALL_PART 64
/* A shorter copy is requested only if it is this much shorter: requests stay rare. */
#define LESS_FACTOR 4

static uint64_t power_of_two(uint64_t bytes)
{
	uint64_t power = LEAST_BYTES;

	while (power < bytes && power < REQUEST_STACK_MOST)
		power *= 2;
	return power;
}

uint64_t stack_need_note(struct stack_need *need, uint64_t used, uint64_t copied, bool cut)
{
	uint64_t bytes = cut ? CUT_FACTOR * copied : used + used / 2 + RESERVE_BYTES, power;

	need->bytes -= need->bytes / FALL_PART;
	if (bytes > need->bytes)
		need->bytes = bytes;
	power = power_of_two(need->bytes);
	if (power <= need->requested && power > need->requested / LESS_FACTOR)
		return 0;
	need->requested = power;
	return power;
}
