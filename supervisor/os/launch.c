/* SPDX-License-Identifier: MIT */
#include "supervisor/os/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/os/mem.h"
#include "supervisor/os/waiter.h"

/* Is the file a script for the shell? A binary file is a damaged program, not a script. */
static bool looks_like_text(const char *path)
{
	char head[128];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		(void)close(fd);
	return n == 0 || (n > 0 && head[0] != 0x7f && !memchr(head, 0, (size_t)n));
}

/*
 * Executes the file; if it is a text without "#!", executes it by /bin/sh. @shell_argv has room for
 * two elements more than @argv. Returns only if that fails: the errno.
 */
static int exec_file(
	const char *path, char *const argv[], char *shell_argv[], char *const environment[])
{
	int error;

	(void)execve(path, argv, environment);
	error = errno;
	if (error != ENOEXEC || !looks_like_text(path))
		return error;
	shell_argv[0] = (char *)"sh";
	shell_argv[1] = (char *)path;
	for (size_t i = 1; argv[i - 1]; i++)
		shell_argv[i + 1] = argv[i];
	(void)execve("/bin/sh", shell_argv, environment);
	return errno;
}

/*
 * Like execvp(3), searches PATH unless argv[0] has a slash. Returns only if that fails, with the
 * errno: EACCES if a file was found but may not be executed, ENOENT if none was found, or another.
 */
static int exec_along_path(char *const argv[], char *shell_argv[], char *const environment[])
{
	const char *path = getenv("PATH"), *end;
	char file[PATH_MAX];
	int error = ENOENT;

	if (strchr(argv[0], '/') || !argv[0][0])
		return argv[0][0] ? exec_file(argv[0], argv, shell_argv, environment) : ENOENT;
	for (path = path ? path : "/bin:/usr/bin";; path = end + 1) {
		int r;

		end = strchrnul(path, ':');
		r = snprintf(file, sizeof(file), "%.*s%s%s", (int)(end - path), path,
			end > path ? "/" : "./", argv[0]);
		if (r > 0 && (size_t)r < sizeof(file)) {
			r = exec_file(file, argv, shell_argv, environment);
			if (r != ENOENT && r != ENOTDIR && r != EACCES)
				return r;
			/* The file exists; a later folder may have one that works. */
			if (r == EACCES && access(file, F_OK) == 0)
				error = EACCES;
		}
		if (!*end)
			return error;
	}
}

/* Changes to another user, groups included. Returns errno. */
static int become_user(const struct launch_user *user)
{
	if (setgroups(user->groups_n, user->groups) < 0 ||
		setresgid(user->gid, user->gid, user->gid) < 0 ||
		setresuid(user->uid, user->uid, user->uid) < 0)
		return errno;
	return 0;
}

/* Runs in the child. Only async-signal-safe calls, as after any fork. */
static _Noreturn void be_the_command(char *const argv[], char *shell_argv[],
	const struct launch_state *state, int go_fd, int error_fd)
{
	char go;
	int error;

	if (read(go_fd, &go, 1) != 1)
		_exit(125); /* The supervisor gave up, or is dead. */
	(void)close(go_fd);
	for (int i = 0; state->streams && i < 3; i++) {
		if (state->streams[i] != i && dup2(state->streams[i], i) < 0)
			_exit(125);
	}
	/*
	 * SIGTTOU is blocked until the mask is set below, so tcsetpgrp() does not stop this
	 * process.
	 */
	if (state->terminal) {
		(void)setpgid(0, 0);
		(void)tcsetpgrp(*state->terminal, getpid());
	}
	(void)setrlimit(RLIMIT_NOFILE, &state->files);
	if (state->children_ignored)
		(void)signal(SIGCHLD, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &state->mask, NULL);
	/*
	 * If a command of another user were in the supervisor's session, it could type into the
	 * terminal (TIOCSTI). In a new session it gets no signals from the terminal, so the
	 * supervisor passes these on to it (test: test_command_as.sh).
	 */
	if (state->user && !state->terminal)
		(void)setsid();
	error = state->user ? become_user(state->user) : 0;
	if (!error)
		error = exec_along_path(
			argv, shell_argv, state->environment ? state->environment : environ);
	while (write(error_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(error == ENOENT ? 127 : 126);
}

int launch_begin(char *const argv[], const struct launch_state *state, struct launch *ret_launch)
{
	int go[2], error[2], r;
	char **shell_argv;
	size_t n = 0;
	pid_t pid;

	while (argv[n])
		n++;
	shell_argv = mem_new(n + 2, sizeof(*shell_argv));
	if (!shell_argv)
		return -ENOMEM;
	r = pipe2(go, O_CLOEXEC) < 0 ? -errno : 0;
	if (r == 0 && pipe2(error, O_CLOEXEC | O_NONBLOCK) < 0) {
		r = -errno;
		(void)close(go[0]);
		(void)close(go[1]);
	}
	if (r < 0) {
		free(shell_argv);
		return r;
	}
	pid = fork();
	r = pid < 0 ? -errno : 0;
	if (pid == 0) {
		(void)close(go[1]);
		(void)close(error[0]);
		be_the_command(argv, shell_argv, state, go[0], error[1]);
	}
	free(shell_argv);
	(void)close(go[0]);
	(void)close(error[1]);
	if (r < 0) {
		(void)close(go[1]);
		(void)close(error[0]);
		return r;
	}
	*ret_launch = (struct launch){pid, go[1], error[0]};
	return 0;
}

int launch_go(struct launch *launch, const struct tracer_options *options)
{
	int r = tracer_seize(launch->pid, options);

	if (r == 0 && write(launch->go_fd, "g", 1) != 1)
		r = -errno;
	if (r < 0)
		return r;
	(void)close(launch->go_fd);
	launch->go_fd = -1;
	return 0;
}

void launch_abandon(struct launch *launch)
{
	int status;

	if (launch->go_fd < 0)
		return;
	(void)close(launch->go_fd);
	launch->go_fd = -1;
	(void)waiter_join(launch->pid, &status);
	launch->pid = 0;
}

int launch_exec_error(struct launch *launch)
{
	int error = 0;

	if (launch->error_fd < 0)
		return 0;
	if (read(launch->error_fd, &error, sizeof(error)) != (ssize_t)sizeof(error))
		error = 0;
	(void)close(launch->error_fd);
	launch->error_fd = -1;
	return error;
}

bool launch_is_before_exec(const struct launch *launch, int tid)
{
	return tid == launch->pid && launch->error_fd >= 0;
}
