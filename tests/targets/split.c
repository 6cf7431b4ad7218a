/* SPDX-License-Identifier: MIT */
/*
 * split WAYS ROUNDS [NAP_MS]: CPU time in known shares. With 2 ways f0 and f1 get 81 and 19 parts
 * of 100; with 20 ways f0 to f19 get 1 to 20 parts of 210. All functions have the same loop,
 * aligned alike, which takes one cycle a turn. A round is short (about 10 us), and its order
 * changes, so that the program has no period of its own. With NAP_MS, a round begins with a sleep
 * of NAP_MS, takes about 10 ms, and always has the same order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define WORK(name)                                                                              \
	__attribute__((noinline, aligned(64))) static void name(uint64_t turns)                 \
	{                                                                                       \
		__asm__ volatile(".p2align 6\n1:\n\tsub $1, %0\n\tjnz 1b" : "+r"(turns)::"cc"); \
	}

#ifndef __x86_64__
#undef WORK
#define WORK(name)                                                              \
	__attribute__((noinline, aligned(64))) static void name(uint64_t turns) \
	{                                                                       \
		__asm__ volatile(".p2align 6\n1:\n\tsubs %0, %0, #1\n\tb.ne 1b" \
				 : "+r"(turns)::"cc");                          \
	}
#endif

WORK(f0)
WORK(f1)
WORK(f2) WORK(f3) WORK(f4) WORK(f5) WORK(f6) WORK(f7) WORK(f8) WORK(f9) WORK(f10) WORK(f11)
	WORK(f12) WORK(f13) WORK(f14) WORK(f15) WORK(f16) WORK(f17) WORK(f18) WORK(f19)

		static void (*const work[20])(uint64_t) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9,
			f10, f11, f12, f13, f14, f15, f16, f17, f18, f19};

int main(int argc, char **argv)
{
	unsigned ways = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	unsigned nap_ms = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	struct timespec nap = {nap_ms / 1000, nap_ms % 1000 * 1000000L};
	uint64_t turns = nap_ms ? 500 : 1;
	uint32_t random = 12345;

	for (unsigned r = 0; r < rounds; r++) {
		random = nap_ms ? 0 : random * 1664525 + 1013904223;
		if (nap_ms)
			(void)nanosleep(&nap, NULL);
		for (unsigned i = 0; i < ways; i++) {
			unsigned way = (i + (random >> 16)) % ways;
			uint64_t parts = ways == 2 ? (way ? 19 : 81) * 500 : (way + 1) * 250;

			work[way](parts * turns);
		}
	}
	return 0;
}
