/* SPDX-License-Identifier: MIT */
/* Processes of a made-up machine, and children for code that ends its process. */
#ifndef TESTS_FRONT_FIXTURE_H
#define TESTS_FRONT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/made_up.h"

enum { TEXT = 8192 };

static inline void made_up_process(
	int pid, int parent, const char *name, char state, const char *cgroup)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	made_up_file(path,
		"Name:\t%s\nState:\t%c (x)\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n"
		"Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nNSpid:\t%d\t7\nSigIgn:\t0000000000000000\n"
		"SigCgt:\t%s\nSeccomp:\t0\n",
		name, state, pid, pid, parent, pid,
		strcmp(name, "java") == 0 ? "0000000000000004" : "0000000000000000");
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, pid);
	made_up_file(path, "Name:\t%s\nState:\t%c (x)\n", name, state);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, pid);
	made_up_file(path, "%s\n", name);
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	made_up_file(path, "%s\n", name);
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	made_up_file(path, "%d (%s) %c %d 0 0 0 -1 0\n", pid, name, state, parent);
	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	made_up_file(path, "0::%s\n", cgroup);
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	made_up_file(path, "%s",
		strcmp(name, "java") == 0 ? "1000-2000 r-xp 00000000 08:01 7   /usr/lib/libjvm.so\n"
					  : "1000-2000 r-xp 00000000 08:01 7   /usr/bin/x\n");
}

static inline int made_up_finish(void **state)
{
	(void)state;
	made_up_remove();
	return 0;
}

/* Returns the exit status of the child; @text gets what it printed. */
static inline int in_child(void (*what)(char **argv), char **argv, char text[TEXT])
{
	int fd = memfd_create("text", MFD_CLOEXEC), status;
	ssize_t n;
	pid_t pid;

	assert_true(fd >= 0);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)dup2(fd, 1);
		(void)dup2(fd, 2);
		what(argv);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fd, text, TEXT - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	(void)close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
