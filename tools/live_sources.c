/* SPDX-License-Identifier: MIT */
#include "tools/live_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "profile/profile.h"

extern char **environ;

enum {
	SOURCE_BYTES_MOST = 16 << 20,
	LOG_BYTES = 64 << 10,
	CODE_BYTES_MOST = 4 << 20,
	DISASSEMBLER_SECONDS = 10,
	AROUND_BYTES = 128
};

#define DISASSEMBLER_BYTES_MOST ((rlim_t)2 << 30)

/* @bytes of a file from @offset on, NUL-terminated. */
static int read_part(int fd, off_t offset, size_t bytes, char **ret_text)
{
	char *text = malloc(bytes + 1);
	size_t n = 0;
	ssize_t got = 1;

	if (!text)
		return -ENOMEM;
	while (n < bytes && got > 0) {
		got = pread(fd, text + n, bytes - n, offset + (off_t)n);
		n += got > 0 ? (size_t)got : 0;
	}
	text[n] = '\0';
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	*ret_text = text;
	return 0;
}

static int read_source(void *context, const char *path, char **ret_text)
{
	const struct live_source_context *c = context;
	int fd = analyst_open_file(c->analyst, path), r;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_size > SOURCE_BYTES_MOST)
		r = -EINVAL;
	else
		r = read_part(fd, 0, (size_t)st.st_size, ret_text);
	(void)close(fd);
	return r;
}

/* The last part of the log; it may have a hole in front. */
static int read_output(void *context, char **ret_text)
{
	const struct live_source_context *c = context;
	int fd = c->log ? open(c->log, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1, r;
	off_t from = 0;
	struct stat st;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return -ENOENT;
	}
	if (st.st_size > LOG_BYTES)
		from = st.st_size - LOG_BYTES;
	r = read_part(fd, from, (size_t)(st.st_size - from), ret_text);
	(void)close(fd);
	return r;
}

/* Reads all that comes through @fd within the time; what is too long is cut. -ETIMEDOUT. */
static int read_pipe(int fd, char **ret_text)
{
	size_t room = 1 << 16, n = 0;
	char *text = malloc(room);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	time_t until = time(NULL) + DISASSEMBLER_SECONDS;
	ssize_t got = 1;
	int r = text ? 0 : -ENOMEM;

	while (r == 0 && got > 0 && n < CODE_BYTES_MOST) {
		if (n + 1 >= room) {
			char *more = realloc(text, room * 2);

			r = more ? 0 : -ENOMEM;
			if (r < 0)
				break;
			text = more;
			room *= 2;
		}
		if (time(NULL) > until || poll(&poll_fd, 1, DISASSEMBLER_SECONDS * 1000) <= 0)
			r = -ETIMEDOUT;
		else
			got = read(fd, text + n, room - n - 1);
		n += r == 0 && got > 0 ? (size_t)got : 0;
	}
	if (r < 0) {
		free(text);
		return r;
	}
	text[n] = '\0';
	*ret_text = text;
	return 0;
}

/*
 * What a program writes that has @file_fd for its descriptor 3. -ENOENT: there is none. It reads
 * what somebody else made, so its memory is bounded.
 */
static int output_of(char *const argv[], int file_fd, char **ret_text)
{
	const struct rlimit memory = {DISASSEMBLER_BYTES_MOST, DISASSEMBLER_BYTES_MOST};
	posix_spawn_file_actions_t actions;
	int fd[2], r, status;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (r == 0) {
		r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		if (r == 0)
			r = posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
		if (r == 0)
			r = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
		if (r == 0)
			r = posix_spawn_file_actions_adddup2(&actions, file_fd, 3);
		if (r == 0)
			r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)close(fd[1]);
	if (r) {
		(void)close(fd[0]);
		return -r;
	}
	(void)prlimit(pid, RLIMIT_AS, &memory, NULL);
	r = read_pipe(fd[0], ret_text);
	(void)close(fd[0]);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	return r;
}

/* Of objdump's text only the instructions: lines that begin with a blank and have a colon. */
static void keep_instructions(char *text)
{
	char *to = text;

	for (char *line = text, *next; *line; line = next) {
		size_t bytes;

		next = strchrnul(line, '\n');
		next += *next != '\0';
		bytes = (size_t)(next - line);
		if (line[0] != ' ' || !memchr(line, ':', bytes))
			continue;
		memmove(to, line, bytes);
		to += bytes;
	}
	*to = '\0';
}

static int disassemble(void *context, uint32_t location, char **ret_text, char **ret_problem)
{
	const struct live_source_context *c = context;
	const struct profile *profile = analyst_profile(c->analyst);
	struct location at = profile_location(profile, location);
	const char *file = profile_mapping(profile, at.mapping).file;
	char from[64], to[64];
	uint64_t start, end;
	int r, fd;

	if (file[0] != '/')
		return asprintf(ret_problem, "there is no file behind %s", file) < 0 ? -ENOMEM
										     : -ENOENT;
	if (!analyst_function_bounds(c->analyst, location, &start, &end)) {
		start = at.address > AROUND_BYTES ? at.address - AROUND_BYTES : 0;
		end = at.address + AROUND_BYTES;
	}
	(void)snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	(void)snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	fd = analyst_open_file(c->analyst, file);
	if (fd < 0)
		return asprintf(ret_problem, "cannot read %s: %s", file, strerror(-fd)) < 0
			? -ENOMEM
			: fd;
	r = output_of((char *const[]){(char *)"objdump", (char *)"-d", (char *)"--no-show-raw-insn",
			      (char *)"-C", from, to, (char *)"/proc/self/fd/3", NULL},
		fd, ret_text);
	(void)close(fd);
	if (r == -ENOENT)
		return asprintf(ret_problem, "objdump is not here: install binutils") < 0 ? -ENOMEM
											  : r;
	if (r < 0)
		return r;
	keep_instructions(*ret_text);
	if ((*ret_text)[0])
		return 0;
	free(*ret_text);
	*ret_text = NULL;
	return asprintf(ret_problem, "objdump has nothing to say about %s", file) < 0 ? -ENOMEM
										      : -ENOENT;
}

struct live_sources live_sources_make(struct live_source_context *context)
{
	return (struct live_sources){.source = read_source,
		.disassembly = disassemble,
		.output = read_output,
		.context = context};
}
