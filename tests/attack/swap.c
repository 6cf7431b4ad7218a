/* SPDX-License-Identifier: MIT */
/* swap A B: exchanges the names A and B in a loop, until it is killed or its parent has ended. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) == 0)
		;
	perror("swap");
	return 1;
}
