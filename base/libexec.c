/* SPDX-License-Identifier: MIT */
#include "base/libexec.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

extern char **environ;

bool libexec_find(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = {"", SPROFIL_BIN_TO_LIBEXEC "/"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n < 0 ? 0 : n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
		if (snprintf(path, PATH_MAX, "%s%s%s", *places[i] == '/' ? "" : self, places[i],
			    name) < PATH_MAX &&
			access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int libexec_read(char *const argv[], int in_fd, bool quiet, FILE **ret_out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int fd[2], r;
	FILE *out;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	out = fdopen(fd[0], "re");
	if (!out) {
		(void)close(fd[0]);
		(void)close(fd[1]);
		return -ENOMEM;
	}
	r = posix_spawn_file_actions_init(&actions);
	if (!r) {
		if (in_fd >= 0)
			r = posix_spawn_file_actions_adddup2(&actions, in_fd, STDIN_FILENO);
		else
			r = posix_spawn_file_actions_addopen(
				&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		r = r ? r : posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
		if (quiet)
			r = r ? r
			      : posix_spawn_file_actions_addopen(
					&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		r = r ? r : posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)close(fd[1]);
	if (r) {
		(void)fclose(out);
		out = NULL;
	}
	*ret_out = out;
	return -r;
}

int libexec_end(FILE *out, pid_t pid)
{
	int status;

	if (out)
		(void)fclose(out);
	status = child_join(pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
