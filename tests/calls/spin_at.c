/* SPDX-License-Identifier: MIT */
/*
 * spin_at MS: this process and a child each spin at address 0x10000008 (a jump to itself) for MS
 * milliseconds of CPU time. This process also uses MS milliseconds in hot_function().
 */
#include "tests/calls/live.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int hot_function(unsigned n);

__attribute__((noinline, aligned(64))) int hot_function(unsigned n)
{
	volatile unsigned x = n;

	while (x < UINT32_MAX)
		x = x + 1;
	return (int)x;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) / 1000 : 0.5;
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	(void)live_spin(LIVE_A + 8, seconds);
	if (pid == 0)
		_exit(0);
	live_reap(pid);
	return hot_function(UINT32_MAX - (unsigned)(seconds * 2e9)) == -1 ? 0 : 1;
}
