/* SPDX-License-Identifier: MIT */
/*
 * sprofil-supervisor: the helper of programs that call sprofil outside sprofrun. libsprofil starts
 * it. It traces the process that started it and the children of that process, and serves their
 * calls. It ends when these processes have ended, or a while after the last of them has stopped
 * profiling.
 *
 * 	sprofil-supervisor --serve PID READY-FD GO-FD
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/standard.h"
#include "proto/call.h"
#include "supervisor/calls/service.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/signals.h"

static void say(void *context, enum say_kind kind, const char *line)
{
	(void)context;
	(void)kind;
	(void)line; /* dropped: stderr belongs to the program */
}

static int parse_number(const char *text, int *ret_number)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > INT_MAX)
		return -EINVAL;
	*ret_number = (int)n;
	return 0;
}

/* Moves the two descriptors to 3 and 4, opens /dev/null as 0, 1 and 2, and closes all others. */
static int own_descriptors(int *ready_fd, int *go_fd)
{
	int ready = fcntl(*ready_fd, F_DUPFD, 5), go = fcntl(*go_fd, F_DUPFD, 5), null;

	/* EINVAL: the limit of open files permits no descriptor from 5 on. */
	if (ready < 0 || go < 0)
		return errno == EINVAL ? -EMFILE : -errno;
	*ready_fd = ready;
	if (dup2(ready, 3) < 0 || dup2(go, 4) < 0)
		return -errno;
	*ready_fd = 3;
	*go_fd = 4;
	null = open("/dev/null", O_RDWR);
	if (null < 0) /* a root directory without devices */
		null = memfd_create("null", 0);
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			return -errno;
	if (close_range(5, UINT_MAX, 0) < 0) {
		struct rlimit limit;

		if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return -errno;
		for (rlim_t fd = 5; fd < limit.rlim_cur && fd < 65536; fd++)
			(void)close((int)fd);
	}
	if (fcntl(3, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	return 0;
}

/*
 * Replaces the state that this process has inherited from the program: signal dispositions and
 * mask, session, directory, and limit of descriptors.
 */
static void own_state(void)
{
	struct rlimit files;
	sigset_t set;

	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	signals_handled(&set);
	(void)sigprocmask(SIG_SETMASK, &set, NULL);
	(void)setsid();
	if (chdir("/") < 0)
		errno = 0; /* the inherited directory merely stays in use */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
}

/*
 * Runs in the parent of the tracing process. Ends with the tracing process's exit status, or with
 * 125 if a signal killed it. If somebody stops the tracing process (SIGSTOP), continues it at once:
 * stopped threads of the program would otherwise stand still, and only SIGKILL would reach them.
 * The parent gets another name, so that a signal sent by name does not reach both processes.
 */
static _Noreturn void watch(pid_t child)
{
	sigset_t none;
	int status;

	(void)close_range(3, UINT_MAX, 0);
	(void)prctl(PR_SET_NAME, "sprofil-watch");
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	for (;;) {
		if (waitpid(child, &status, WUNTRACED) < 0)
			_exit(125);
		if (!WIFSTOPPED(status))
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
		(void)kill(child, SIGCONT);
	}
}

static int serve(int pid, int ready_fd, int go_fd)
{
	struct engine_options options = {.pids = &pid,
		.pids_n = 1,
		.pids_given = 1,
		.follow = true,
		.serve_only = true,
		.period_ns = call_period_ns(CALL_NATIVE, 0),
		.say = say};
	const struct service none = {.write_fd = -1};
	struct engine_result result;
	pid_t child;
	char go;
	int r;

	own_state();
	r = own_descriptors(&ready_fd, &go_fd);
	if (r < 0) {
		service_announce(&none, ready_fd, -r);
		return 125;
	}
	child = fork();
	if (child > 0)
		watch(child);
	if (child == 0) /* a session of its own: no signal to a group reaches both processes */
		(void)setsid();
	/* The program first permits us to trace it (PR_SET_PTRACER), then writes to @go_fd. */
	if (read(go_fd, &go, 1) != 1)
		return 125;
	(void)close(go_fd);
	options.ready_fd = ready_fd;
	engine_run(&options, &result);
	return result.error ? 125 : 0;
}

int main(int argc, char **argv)
{
	int pid, ready_fd, go_fd;

	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("sprofil-supervisor %s\n", SPROFIL_VERSION);
		return standard_printed("sprofil-supervisor", 125);
	}
	if (argc != 5 || strcmp(argv[1], "--serve") != 0 || parse_number(argv[2], &pid) < 0 ||
		parse_number(argv[3], &ready_fd) < 0 || parse_number(argv[4], &go_fd) < 0) {
		fprintf(stderr,
			"sprofil-supervisor: it is started by programs that call sprofil or "
			"profil; see sprofil(3)\n");
		return 2;
	}
	return serve(pid, ready_fd, go_fd);
}
