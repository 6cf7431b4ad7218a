/* SPDX-License-Identifier: MIT */
/*
 * Functions that run for a known time. WORK(name) defines name(turns), which runs a loop @turns
 * times. The loop and its alignment are the same in all such functions.
 */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdint.h>
#include <time.h>

#include "bench/measure.h"

#ifdef __x86_64__
#define WORK_TURNS(n) ".p2align 6\n1:\n\tsub $1, %0\n\tjnz 1b" : "+r"(n)::"cc"
#else
#define WORK_TURNS(n) ".p2align 6\n1:\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(n)::"cc"
#endif
#ifdef __clang__ /* clang makes no clones, and lacks the attribute noclone */
#define WORK_WHOLE noinline
#else
#define WORK_WHOLE noinline, noclone
#endif
/* The function's name in the assembler text keeps the compiler from merging two functions. */
#define WORK(name)                                                                 \
	__attribute__((WORK_WHOLE, aligned(64))) static void name(uint64_t turns); \
	static void name(uint64_t turns)                                           \
	{                                                                          \
		__asm__ volatile("# " #name);                                      \
		__asm__ volatile(WORK_TURNS(turns));                               \
	}

/* Returns the CPU time of one reading of the thread's CPU clock, in ns: the least of 100. */
static inline uint64_t work_reading_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 100; i++) {
		uint64_t start = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		uint64_t ns = measure_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;

		if (ns < least)
			least = ns;
	}
	return least;
}

/* Returns the turns of the loop in a millisecond: the best of 50 tries, in 0.1 s. */
static inline uint64_t work_turns_per_ms(void (*work)(uint64_t))
{
	uint64_t turns = 4000000, best = UINT64_MAX;

	for (unsigned i = 0; i < 50; i++) {
		uint64_t start = measure_now_ns(), ns;

		work(turns);
		ns = measure_now_ns() - start;
		if (ns < best)
			best = ns;
	}
	return turns * 1000000 / best;
}

#endif
