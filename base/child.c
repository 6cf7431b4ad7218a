/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* ns between two checks of child_join_within(). */
#define LOOK_NS 200000

extern char **environ;

/* EINVAL of fcntl() means that @least is beyond the limit of open files. */
int child_lift(int *fd, int least)
{
	int high;

	if (*fd < 0 || *fd >= least)
		return 0;
	high = fcntl(*fd, F_DUPFD_CLOEXEC, least);
	if (high < 0)
		return errno == EINVAL ? -EMFILE : -errno;
	(void)close(*fd);
	*fd = high;
	return 0;
}

int child_start(const char *const argv[], const int *fd, size_t n, int first, pid_t *ret_pid)
{
	static const int blocked[] = {
		SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t mask;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	r = posix_spawnattr_init(&attributes);
	if (r) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return -r;
	}
	(void)sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(blocked) / sizeof(*blocked); i++)
		(void)sigaddset(&mask, blocked[i]);
	(void)posix_spawnattr_setsigmask(&attributes, &mask);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	for (size_t i = 0; i < n && !r; i++) {
		if (fd[i] >= 0)
			r = posix_spawn_file_actions_adddup2(&actions, fd[i], first + (int)i);
	}
	if (!r)
		r = posix_spawn(
			ret_pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

int child_join(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	return status;
}

bool child_join_within(int pid, uint64_t most_ns)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	uint64_t until = clock_now() + most_ns;
	int r;

	while ((r = waitpid(pid, NULL, WNOHANG)) == 0 && clock_now() < until)
		(void)nanosleep(&pause, NULL);
	return r != 0;
}
