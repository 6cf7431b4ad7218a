/* SPDX-License-Identifier: MIT */
/*
 * evil SECONDS: uses CPU time in a thread whose name would set a terminal's title, in a function
 * that the test renames with objcopy. Exits with 6.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

__attribute__((noinline)) void spin(double seconds);
void spin(double seconds)
{
	struct timespec now;

	do {
		/* Work of spin() itself, so that spin() gets samples, too. */
		for (volatile unsigned i = 0; i < 100000; i++)
			;
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
}

int main(int argc, char **argv)
{
	(void)prctl(PR_SET_NAME, "\033]0;x\a\xc2\x9b\x9b\x7f\r\n");
	spin(argc > 1 ? atof(argv[1]) : 1);
	return 6;
}
