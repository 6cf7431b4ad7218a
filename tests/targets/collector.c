/* SPDX-License-Identifier: MIT */
/*
 * collector ROUNDS: collects children as an event loop does: polls a pidfd of the child, and when
 * the pidfd is ready calls waitid(2) with WNOHANG, which must find the child at once. The last
 * ROUNDS children are waited for without WNOHANG. Each way in which a child comes and ends has
 * ROUNDS children. Prints a line for each way, and exits with 1 if a child was not found:
 *
 *     killed: 20 children, 0 not found
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS 7

/* A child lives until its parent holds the pidfd, which writes two bytes to @go then. */
static int go[2];

static void await(void)
{
	char byte;

	(void)!read(go[0], &byte, 1);
}

static void compute(void)
{
	struct timespec now;
	long end;

	await();
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	for (end = now.tv_nsec + 1000000; now.tv_nsec < end && now.tv_sec == 0;)
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

static void ends(void)
{
	compute();
	_exit(STATUS);
}

/* Ends when the parent sleeps. */
static void ends_when_awaited(void)
{
	char path[32], state = 0;

	compute();
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	while (state != 'S') {
		FILE *file = fopen(path, "r");

		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			exit(1);
		(void)fclose(file);
	}
	_exit(STATUS);
}

static void is_killed(void)
{
	compute();
	(void)raise(SIGKILL);
}

static void *compute_and_end(void *ignored)
{
	ends();
	return ignored;
}

static void *sleeps(void *ignored)
{
	(void)pause();
	return ignored;
}

/* Ends by exit_group in another thread than the first, while the others sleep. */
static void ends_in_thread(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		(void)pthread_create(&thread, NULL, i ? sleeps : compute_and_end, NULL);
	(void)pause();
}

/* The first thread ends; a millisecond later the other one ends the process. */
static void outlives_leader(void)
{
	pthread_t thread;

	(void)pthread_create(&thread, NULL, compute_and_end, NULL);
	await();
	(void)syscall(SYS_exit, STATUS);
}

static pid_t make(void (*live)(void), int *ret_pidfd)
{
	pid_t pid = fork();

	if (pid == 0) {
		live();
		_exit(STATUS);
	}
	*ret_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return pid;
}

static pid_t make_with_pidfd(void (*live)(void), int *ret_pidfd)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, ret_pidfd, NULL, NULL);

	if (pid == 0) {
		live();
		_exit(STATUS);
	}
	return pid;
}

struct made {
	void (*live)(void);
	pid_t pid;
	int pidfd;
};

static void *make_here(void *context)
{
	struct made *made = context;

	made->pid = make(made->live, &made->pidfd);
	return NULL;
}

static pid_t make_in_thread(void (*live)(void), int *ret_pidfd)
{
	struct made made = {.live = live, .pidfd = -1};
	pthread_t thread;

	if (pthread_create(&thread, NULL, make_here, &made) == 0)
		(void)pthread_join(thread, NULL);
	*ret_pidfd = made.pidfd;
	return made.pid;
}

/* Makes a child of a child that ends: this process, a subreaper, becomes its parent. */
static pid_t make_orphan(void (*live)(void), int *ret_pidfd)
{
	int end[2];
	pid_t middle, pid = 0;

	if (pipe(end) < 0)
		exit(2);
	middle = fork();
	if (middle == 0) {
		pid = fork();
		if (pid == 0) {
			live();
			_exit(STATUS);
		}
		(void)!write(end[1], &pid, sizeof(pid));
		_exit(0);
	}
	(void)!read(end[0], &pid, sizeof(pid));
	(void)waitpid(middle, NULL, 0);
	(void)close(end[0]);
	(void)close(end[1]);
	*ret_pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return pid;
}

static const struct way {
	const char *name;
	pid_t (*make)(void (*live)(void), int *ret_pidfd);
	void (*live)(void);
	int code, status;
	bool waits; /* the parent sleeps in a wait for the child, and does not poll the pidfd */
} way[] = {
	{"ends", make, ends, CLD_EXITED, STATUS, false},
	{"killed", make, is_killed, CLD_KILLED, SIGKILL, false},
	{"threads", make, ends_in_thread, CLD_EXITED, STATUS, false},
	{"leader first", make, outlives_leader, CLD_EXITED, STATUS, false},
	{"clone", make_with_pidfd, ends, CLD_EXITED, STATUS, false},
	{"made by a thread", make_in_thread, ends, CLD_EXITED, STATUS, false},
	{"orphan", make_orphan, ends, CLD_EXITED, STATUS, false},
	{"awaited", make, ends_when_awaited, CLD_EXITED, STATUS, true},
};

/* Makes and collects one child. Returns 1 if it was not found when its pidfd was ready. */
static int collect(const struct way *w)
{
	struct pollfd poll_fd = {.fd = -1, .events = POLLIN};
	siginfo_t info = {0};
	pid_t pid;
	int missed;

	if (pipe(go) < 0)
		exit(2);
	pid = w->make(w->live, &poll_fd.fd);
	(void)!write(go[1], "ab", 2);
	if (pid <= 0 || poll_fd.fd < 0 || (!w->waits && poll(&poll_fd, 1, -1) != 1)) {
		perror(w->name);
		exit(2);
	}
	missed = waitid(P_PIDFD, (id_t)poll_fd.fd, &info, WEXITED | (w->waits ? 0 : WNOHANG)) < 0 ||
		info.si_pid != pid;
	if (missed)
		(void)waitid(P_PID, (id_t)pid, &info, WEXITED);
	if (info.si_code != w->code || info.si_status != w->status) {
		fprintf(stderr, "%s: code %d, status %d\n", w->name, info.si_code, info.si_status);
		exit(2);
	}
	(void)close(poll_fd.fd);
	(void)close(go[0]);
	(void)close(go[1]);
	return missed;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20, all = 0;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < sizeof(way) / sizeof(*way); i++) {
		int missed = 0;

		for (int n = 0; n < rounds; n++)
			missed += collect(&way[i]);
		printf("%s: %d children, %d not found\n", way[i].name, rounds, missed);
		all += missed;
	}
	return all != 0;
}
