/* SPDX-License-Identifier: MIT */
/*
 * titled SECONDS PADDING: a process and its child write titles over their arguments, then compute
 * for SECONDS of CPU time each. PADDING makes room for the titles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

static void compute(double seconds)
{
	while ((double)clock() / CLOCKS_PER_SEC < seconds)
		for (unsigned i = 0; i < 10000; i++)
			sum += i;
}

int main(int argc, char **argv)
{
	double seconds = argc == 3 ? atof(argv[1]) : 0;
	size_t room = argc == 3 ? (size_t)(argv[2] + strlen(argv[2]) - argv[0]) : 0;
	pid_t child;

	if (room < 32)
		return 2;
	child = fork();
	memset(argv[0], 0, room);
	(void)snprintf(argv[0], room, child ? "titled: master process" : "titled: worker 1  ");
	compute(seconds);
	if (child)
		(void)waitpid(child, NULL, 0);
	return 0;
}
