/* SPDX-License-Identifier: MIT */
/*
 * peak MIB FILE COMMAND...: runs COMMAND with an RLIMIT_AS of MIB, and ends with its status. Writes
 * to FILE the largest resident size of COMMAND or one of its descendants, in KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	struct rlimit limit;
	FILE *out;
	int status;
	pid_t pid;

	if (argc < 4)
		return 2;
	limit.rlim_cur = limit.rlim_max = (rlim_t)atol(argv[1]) << 20;
	pid = fork();
	if (pid == 0) {
		if (setrlimit(RLIMIT_AS, &limit) == 0)
			(void)execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return 2;
	out = fopen(argv[2], "w");
	if (!out || fprintf(out, "%ld\n", usage.ru_maxrss) < 0 || fclose(out))
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
