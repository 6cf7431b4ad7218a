/* SPDX-License-Identifier: MIT */
/* swap A B: exchanges two names as often as it can, until it is killed or its parent is gone. */
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
