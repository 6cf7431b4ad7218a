/* SPDX-License-Identifier: MIT */
/*
 * newborn: provokes the race newborn_dies_before_clone_event reliably. The main thread stops the
 * tracer. A second thread makes a child, and waits in its ptrace event for the tracer. The main
 * thread kills the child, and continues the tracer, which finds both events, the death first: of
 * two tracees, waitid() reports the newer one. (If the main thread made the child: it may be the
 * tracer's own child, and waitid() reports those before all other tracees.)
 *
 * Needs a rate near 0: a thread in a tick stop would wait for the tracer.
 *
 * Does not wait for the child, which our own parent must reap. Ends with 0; 77: not traced, or the
 * tracer may not be stopped.
 */
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool begun;
static atomic_int child; /* written by the kernel before the child or its event can be observed */

/* Reads a field of a process's status: "State:\tT (stopped)" gives "T"; "": no such field. */
static void read_status(int pid, const char *key, char value[32])
{
	char path[48], line[256];
	size_t n = strlen(key);
	FILE *file;

	value[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, n) == 0)
			(void)snprintf(value, 32, "%.31s", line + n);
	}
	if (file)
		(void)fclose(file);
}

static void await_state(int pid, char wanted)
{
	char state[32];

	do {
		(void)usleep(1000);
		read_status(pid, "State:\t", state);
	} while (state[0] && state[0] != wanted);
}

static void *make_child(void *context)
{
	struct clone_args args = {.flags = CLONE_PARENT_SETTID,
		.parent_tid = (uintptr_t)&child,
		.exit_signal = SIGCHLD};

	atomic_store(&begun, true);
	await_state((int)(uintptr_t)context, 'T');
	if (syscall(SYS_clone3, &args, sizeof(args)) == 0)
		_exit(1);
	return NULL;
}

int main(void)
{
	char value[32];
	pthread_t thread;
	int tracer, pid;

	read_status(getpid(), "TracerPid:\t", value);
	tracer = atoi(value);
	(void)pthread_create(&thread, NULL, make_child, (void *)(uintptr_t)tracer);
	/* The tracer, not yet stopped here, must have resumed the new thread. */
	while (!atomic_load(&begun))
		(void)usleep(1000);
	if (!tracer || kill(tracer, SIGSTOP) < 0)
		_exit(77);
	while (!(pid = atomic_load(&child)))
		(void)usleep(1000);
	(void)kill(pid, SIGKILL);
	await_state(pid, 'Z');
	(void)kill(tracer, SIGCONT);
	(void)pthread_join(thread, NULL);
	return 0;
}
