/* SPDX-License-Identifier: MIT */
/*
 * A program that looks at its own histogram while it runs, and says which of its functions is the
 * hottest at the moment. Nothing in it counts: the supervisor writes the counters from outside.
 *
 *	cc hottest.c $(pkg-config --cflags --libs sprofil)
 */
#include <sprofil/sprofil.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 256 /* each function gets its own block of text */

static volatile uint64_t sink;

__attribute__((noinline, aligned(TEXT))) static void gather(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline, aligned(TEXT))) static void mix(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink ^= sink << 1 ^ i;
}

__attribute__((noinline, aligned(TEXT))) static void divide(unsigned n)
{
	for (unsigned i = 1; i <= n; i++)
		sink += UINT64_MAX / (i | 1);
}

static const struct {
	const char *name;
	void (*run)(unsigned n);
} phase[] = {{"gather", gather}, {"mix", mix}, {"divide", divide}};

enum { PHASES = sizeof(phase) / sizeof(phase[0]) };

int main(void)
{
	static volatile unsigned hits[PHASES];
	struct prof region[PHASES];
	int wrong = 0;

	for (int i = 0; i < PHASES; i++)
		/* the smallest scale at which 4 bytes of counter cover TEXT bytes of text */
		region[i] = (struct prof){(void *)(uintptr_t)&hits[i], sizeof(hits[i]),
			(unsigned long)phase[i].run, 4 * 0x10000 / TEXT};
	if (sprofil(region, PHASES, NULL, PROF_UINT | PROF_FAST) < 0) {
		perror("sprofil");
		return EXIT_FAILURE;
	}
	for (int now = 0; now < PHASES; now++) {
		unsigned before[PHASES], most = 0;
		int hottest = 0;

		for (int i = 0; i < PHASES; i++)
			before[i] = hits[i];
		do
			phase[now].run(1000000);
		while (hits[now] - before[now] < 50);
		for (int i = 0; i < PHASES; i++) {
			if (hits[i] - before[i] > most) {
				most = hits[i] - before[i];
				hottest = i;
			}
		}
		printf("%u ms: the hottest is %s\n", most, phase[hottest].name);
		wrong += hottest != now;
	}
	if (sprofil(NULL, 0, NULL, 0) < 0)
		perror("sprofil");
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
