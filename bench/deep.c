/* SPDX-License-Identifier: MIT */
/*
 * deep KIB SECONDS: burns CPU time with KIB kibibytes of stack in use.
 * deep work DEPTH: does a fixed amount of work below DEPTH frames of 240 bytes and more.
 */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

static volatile uint64_t sink;

__attribute__((noinline)) static void burn(double seconds, uint64_t rounds)
{
	uint64_t begin = measure_now_ns();

	for (uint64_t i = 0; !rounds || i < rounds; i++) {
		for (unsigned k = 0; k < 20000; k++)
			sink += k * k;
		if (!rounds && (double)(measure_now_ns() - begin) > seconds * 1e9)
			return;
	}
}

__attribute__((noinline)) static void descend(unsigned depth)
{
	volatile uint8_t local[240];

	local[depth % sizeof(local)] = 1;
	if (depth > 1)
		descend(depth - 1);
	else
		burn(0, 250000);
	sink += local[depth % sizeof(local)];
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "work") == 0) {
		descend((unsigned)atoi(argv[2]));
	} else {
		size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 4) * 1024;
		volatile uint8_t *room = alloca(bytes);

		for (size_t i = 0; i < bytes; i += 512)
			room[i] = 1;
		burn(argc > 2 ? atof(argv[2]) : 2, 0);
		sink += room[0];
	}
	return (int)(sink & 1) * 0;
}
