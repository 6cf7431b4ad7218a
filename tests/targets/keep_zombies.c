/* SPDX-License-Identifier: MIT */
/*
 * keep_zombies COMMAND [ARGUMENT...]: runs the command as a subreaper that never reaps. Orphans of
 * the command stay zombies, as under the init of many containers.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid;

	if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return 125;
	pid = fork();
	if (pid == 0) {
		(void)execv(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
