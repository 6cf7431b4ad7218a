/* SPDX-License-Identifier: MIT */
/*
 * flood KIND SUPERVISOR SECONDS: makes the request pipe of the process SUPERVISOR as large as
 * possible and writes to it as fast as it can for SECONDS. KIND is one of:
 *   unknown   well-formed requests of a pid that does not exist
 *   untraced  well-formed requests of this process, with a good seal: each is answered
 *   junk      bytes that could begin a request
 *   calls     for a profiled process (SUPERVISOR 0: its tracer): requests to turn profiling off,
 *             with a good seal; nobody reads the answers
 * Prints how many were written. Ends with 77 if it finds no pipe.
 *
 * flood forks SECONDS: forks children that end at once, one after the other, and prints how long
 * the slowest fork took (ms): what a target notices of a supervisor that is busy with a flood.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/call.h"
#include "tests/clock.h"

#define PIPE_BYTES 1048576

static int tracer(void)
{
	char line[256];
	int pid = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		(void)sscanf(line, "TracerPid: %d", &pid);
	if (file)
		(void)fclose(file);
	return pid;
}

static int open_pipe(int pid)
{
	char folder[64], path[400], link[128];
	struct dirent *entry;
	int found = -1, number;
	DIR *dir;

	(void)snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	dir = opendir(folder);
	while (dir && found < 0 && (entry = readdir(dir))) {
		ssize_t n;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		if (sscanf(link, "/memfd:" CALL_MARK ":%d:", &number) != 1)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%d", folder, number);
		found = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

static int make_forks(double seconds)
{
	double end = clock_s(CLOCK_MONOTONIC) + seconds, worst = 0;

	while (clock_s(CLOCK_MONOTONIC) < end) {
		double since = clock_s(CLOCK_MONOTONIC);
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 99;
		since = clock_s(CLOCK_MONOTONIC) - since;
		worst = since > worst ? since : worst;
	}
	(void)printf("%.0f\n", worst * 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	static _Alignas(8) uint8_t seal[CALL_SEAL_BYTES];
	uint8_t message[CALL_MAX_BYTES];
	const char *kind = argc > 2 ? argv[1] : "";
	struct call_request q = {.pid = 4194300, .tid = 4194300, .nonce = 1, .element = 4};
	int fd, supervisor, bytes, pipe_fd[2];
	unsigned long sent = 0;
	double end;

	if (strcmp(kind, "forks") == 0)
		return make_forks(strtod(argv[2], NULL));
	supervisor = argc > 3 ? atoi(argv[2]) : 0;
	fd = open_pipe(supervisor ? supervisor : tracer());
	if (fd < 0 || pipe(pipe_fd) < 0)
		return 77;
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	q.seal = (uint64_t)(uintptr_t)seal;
	q.answer = pipe_fd[1];
	if (strcmp(kind, "untraced") == 0 || strcmp(kind, "calls") == 0)
		q.pid = q.tid = (uint32_t)getpid();
	call_put_seal(seal, &q);
	bytes = call_put_request(message, sizeof(message), &q, NULL);
	if (strcmp(kind, "junk") == 0) {
		for (bytes = 0; bytes < CALL_MAX_BYTES; bytes += 8)
			(void)memcpy(message + bytes, "SPRQ\1\0\0\20", 8);
	}
	end = clock_s(CLOCK_MONOTONIC) + strtod(argv[argc > 3 ? 3 : 2], NULL);
	for (; bytes > 0 && clock_s(CLOCK_MONOTONIC) < end; sent++)
		if (write(fd, message, (size_t)bytes) != bytes && errno != EAGAIN)
			return 1;
	(void)printf("%lu\n", sent);
	return 0;
}
