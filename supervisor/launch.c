/* SPDX-License-Identifier: MIT */
#include "supervisor/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/waiter.h"

/* In the child. Only async-signal-safe calls, as after any fork. */
static _Noreturn void be_the_command(
	char *const argv[], const struct launch_state *state, int go_fd, int error_fd)
{
	char go;
	int error;

	if (read(go_fd, &go, 1) != 1)
		_exit(125); /* the supervisor gave up, or is dead */
	(void)close(go_fd);
	(void)setrlimit(RLIMIT_NOFILE, &state->files);
	(void)sigprocmask(SIG_SETMASK, &state->mask, NULL);
	(void)execvp(argv[0], argv);
	error = errno;
	while (write(error_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(error == ENOENT ? 127 : 126);
}

int launch_command(char *const argv[], const struct launch_state *state,
	const struct tracer_options *options, struct launch *ret_launch)
{
	int go[2], error[2], r, status;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(error, O_CLOEXEC) < 0) {
		r = -errno;
		(void)close(go[0]);
		(void)close(go[1]);
		return r;
	}
	pid = fork();
	r = pid < 0 ? -errno : 0;
	if (pid == 0) {
		(void)close(go[1]);
		(void)close(error[0]);
		be_the_command(argv, state, go[0], error[1]);
	}
	(void)close(go[0]);
	(void)close(error[1]);
	if (r == 0)
		r = tracer_seize(pid, options);
	if (r == 0 && write(go[1], "g", 1) != 1)
		r = -errno;
	(void)close(go[1]);
	if (r < 0) {
		(void)close(error[0]);
		if (pid > 0)
			(void)waiter_join(pid, &status);
		return r;
	}
	*ret_launch = (struct launch){pid, error[0]};
	return 0;
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
