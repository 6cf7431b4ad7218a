/* SPDX-License-Identifier: MIT */
/*
 * monitored mon|gmon [SECONDS]: profiles itself by monitor(3) for SECONDS of CPU time, three
 * quarters in often(), a quarter in seldom(). In the middle of seldom(), suspends profiling for
 * another eighth of SECONDS. Prints the ticks counted before the suspension, and all.
 */
#include <sprofil/monitor.h>
#include <sprofil/status.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/clock.h"

extern char __executable_start, etext;

enum { WORDS = 1 << 20 };
static unsigned short buffer[WORDS];
static volatile uint64_t sink;

__attribute__((noinline)) static void often(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		sink += i;
}

__attribute__((noinline)) static void seldom(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		sink ^= sink << 1 ^ i;
}

static void spend(void (*work)(void), double seconds)
{
	double end = clock_s(CLOCK_PROCESS_CPUTIME_ID) + seconds;

	while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < end)
		work();
}

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	int gmon = argc > 1 && strcmp(argv[1], "gmon") == 0;
	double seconds = argc > 2 ? atof(argv[2]) : 0.8;
	struct sprofil_state state;

	if (gmon)
		check(monstartup((unsigned long)(uintptr_t)&__executable_start,
			      (unsigned long)(uintptr_t)&etext),
			"monstartup");
	else
		check(monitor((void (*)(void))(uintptr_t)2, (void (*)(void))(uintptr_t)&etext,
			      buffer, WORDS, 10),
			"monitor");
	spend(often, seconds * 3 / 4);
	spend(seldom, seconds / 8);
	check(moncontrol(0), "moncontrol(0)");
	check(sprofil_status(&state, sizeof(state)), "sprofil_status");
	spend(seldom, seconds / 8);
	check(moncontrol(1), "moncontrol(1)");
	spend(seldom, seconds / 8);
	if (gmon)
		check(mcleanup(), "mcleanup");
	else
		check(monitor(NULL, NULL, NULL, 0, 0), "monitor(0)");
	printf("%" PRIu64 "\n", state.counted);
	check(sprofil_status(&state, sizeof(state)), "sprofil_status");
	printf("%" PRIu64 "\n", state.counted);
	return EXIT_SUCCESS;
}
