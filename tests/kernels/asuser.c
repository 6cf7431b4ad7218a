/* SPDX-License-Identifier: MIT */
/* asuser COMMAND...: as user 1000, without privileges. */
#define _GNU_SOURCE
#include <grp.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || setgroups(0, NULL) < 0 || setresgid(1000, 1000, 1000) < 0 ||
		setresuid(1000, 1000, 1000) < 0)
		return 125;
	(void)execvp(argv[1], argv + 1);
	return 127;
}
