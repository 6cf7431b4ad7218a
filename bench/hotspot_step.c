/* SPDX-License-Identifier: MIT */
/*
 * Prints the time of an unwinder's step through Java frames whose code was read before, in ns: the
 * least of five rounds, on the made-up HotSpot of the tests.
 */
#include <stdio.h>

#include "bench/measure.h"
#include "tests/made_hotspot.h"

enum { STEPS = 2000000, ROUNDS = 5, FP = 20 };

static void measure(const char *what, struct made *m, struct unwind_runtime_frame frame)
{
	struct unwind_runtime_caller caller;
	double least = 0;

	if (made_step(m, frame, &caller) <= 0 || !caller.found)
		abort();
	frame.read = made_read;
	frame.reader = m;
	for (int round = 0; round < ROUNDS; round++) {
		double begin = (double)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID), took;

		for (int i = 0; i < STEPS; i++) {
			caller = (struct unwind_runtime_caller){0};
			(void)hotspot_step_frame(&m->hotspot, &frame, &caller);
		}
		took = ((double)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) / STEPS;
		if (!round || took < least)
			least = took;
	}
	printf("%-32s %6.0f ns\n", what, least);
}

int main(void)
{
	const uint64_t base = MADE_BASE, sp = MADE_STACK;
	const uint64_t code = base + MADE_COMPILED + MADE_HEADER + MADE_CODE_AT;
	struct made *m = made_new(21);

	m->stack[3] = code + 32;
	measure("compiled, one inlined", m,
		(struct unwind_runtime_frame){.pc = code + 64, .sp = sp});
	measure("compiled, executing", m,
		(struct unwind_runtime_frame){.pc = code + 64, .sp = sp, .exact = true});
	m->stack[FP + 1] = code + 32;
	m->stack[FP - 1] = sp + 8 * (FP + 4);
	m->stack[FP - 3] = base + MADE_INNER;
	m->stack[FP - 8] = base + MADE_INNER + 0x80 + 48;
	measure("interpreted", m,
		(struct unwind_runtime_frame){
			.pc = base + MADE_INTERPRETER + MADE_HEADER + MADE_CODE_AT,
			.sp = sp,
			.fp = sp + 8 * FP});
	measure("stub with a frame", m,
		(struct unwind_runtime_frame){
			.pc = base + MADE_FRAME + MADE_HEADER + MADE_CODE_AT, .sp = sp});
	made_free(m);
	return 0;
}
