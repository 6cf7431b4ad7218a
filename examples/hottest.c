/* SPDX-License-Identifier: MIT */
/*
 * A program that reads its own profile while it runs, and prints which of its functions uses most
 * CPU time at the moment. The supervisor writes the counters from outside.
 *
 *	cc hottest.c $(pkg-config --cflags --libs sprofil)
 */
#include <sprofil/all.h>
#include <sprofil/status.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

__attribute__((noinline)) static void gather(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}

__attribute__((noinline)) static void mix(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink ^= sink << 1 ^ i;
}

__attribute__((noinline)) static void divide(unsigned n)
{
	for (unsigned i = 1; i <= n; i++)
		sink += UINT64_MAX / (i | 1);
}

/* Profiling ends without a call if the supervisor ends. */
static bool is_on(void)
{
	struct sprofil_state s;

	return sprofil_status(&s, sizeof(s)) == 0 && s.state == SPROFIL_ON;
}

/* Returns the function with most ticks, once that has @ticks since sprofil_all(). */
static struct sprofil_function hottest(void (*work)(unsigned n), uint64_t ticks)
{
	struct sprofil_function first = {.function = "nothing"};

	do
		work(1000000);
	while ((sprofil_all_read(&first, 1) < 1 || first.ticks < ticks) && is_on());
	return first;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*work)(unsigned n);
	} phase[] = {{"gather", gather}, {"mix", mix}, {"divide", divide}};
	int wrong = 0;

	for (unsigned i = 0; i < sizeof(phase) / sizeof(phase[0]); i++) {
		struct sprofil_function first;

		if (sprofil_all(SPROFIL_ALL_FAST) < 0) {
			perror("sprofil_all");
			return EXIT_FAILURE;
		}
		first = hottest(phase[i].work, 50);
		printf("%u ms: the hottest is %s\n", (unsigned)first.ticks, first.function);
		wrong += strcmp(first.function, phase[i].name) != 0;
	}
	if (sprofil_all_off() < 0)
		perror("sprofil_all_off");
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
