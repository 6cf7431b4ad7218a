/* SPDX-License-Identifier: MIT */
#include "tools/inspect.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/profile.h"
#include "proto/inspection.h"
#include "tools/child.h"
#include "tools/debuginfod.h"
#include "tools/inspect_answer.h"
#include "tools/libexec.h"
#include "tools/waiting.h"

extern char **environ;

/* No debug information, then not the file at all; then it is left alone for good. */
enum { SKIP_MOST = 2 };

#define ANSWER_BYTES_MOST ((size_t)1 << 30)

static int write_object(
	FILE *to, const struct profile *profile, const struct code_object *object, uint8_t skip)
{
	struct mapping mapping = profile_mapping(profile, object->mapping);
	const struct inspection_object asked = {.skip = skip,
		.start = mapping.start,
		.limit = mapping.limit,
		.offset = mapping.offset,
		.build_id = mapping.build_id,
		.path = mapping.file,
		.addresses = (uint32_t)object->addresses};
	uint8_t bytes[INSPECTION_BYTES_MOST];
	struct writer w = writer_over(bytes, sizeof(bytes));

	inspection_put_object(&w, &asked);
	(void)fwrite(bytes, 1, (size_t)(w.p - bytes), to);
	for (size_t i = 0; i < object->addresses; i++) {
		w = writer_over(bytes, sizeof(bytes));
		inspection_put_address(
			&w, &(struct inspection_address){object->instructions, object->address[i]});
		(void)fwrite(bytes, 1, (size_t)(w.p - bytes), to);
	}
	return ferror(to) ? -ENOMEM : 0;
}

static int start(const char *path, int *ret_fd, pid_t *ret_pid)
{
	char *const argv[] = {(char *)path, NULL};
	posix_spawn_file_actions_t actions;
	int fd[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (!r) {
		r = posix_spawn_file_actions_adddup2(&actions, fd[1], STDIN_FILENO);
		r = r ? r : posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
		r = r ? r : posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)close(fd[1]);
	if (r) {
		(void)close(fd[0]);
		return -r;
	}
	*ret_fd = fd[0];
	return 0;
}

/* It reads all before it answers; one that is gone already has read what it wanted. */
static void send_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		data += n;
		bytes -= (size_t)n;
	}
	(void)shutdown(fd, SHUT_WR);
}

static int receive_all(int fd, FILE *to)
{
	char part[1 << 16];
	size_t all = 0;

	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		all += (size_t)n;
		if (all > ANSWER_BYTES_MOST || fwrite(part, 1, (size_t)n, to) != (size_t)n)
			return -ENOMEM;
	}
}

struct talk {
	char *asked, *answer;
	size_t asked_bytes, answer_bytes;
	int status; /* of its end, as of wait */
};

/* Starts it, asks, and takes what it says until its end. */
static int talk(const char *path, struct talk *t)
{
	FILE *out = open_memstream(&t->answer, &t->answer_bytes);
	pid_t pid;
	int fd = -1, r;

	if (!out)
		return -ENOMEM;
	r = start(path, &fd, &pid);
	if (r == 0) {
		send_all(fd, t->asked, t->asked_bytes);
		r = receive_all(fd, out);
		(void)close(fd);
		t->status = child_join(pid);
	}
	if (fclose(out) != 0 && r == 0)
		r = -ENOMEM;
	return r;
}

static int ask(const char *path, const struct profile *profile, struct code_object *object,
	size_t n, uint8_t skip, struct talk *t)
{
	FILE *out = open_memstream(&t->asked, &t->asked_bytes);
	int r = out ? 0 : -ENOMEM;

	/* What is left alone of the first one's file is for that one. */
	for (size_t i = 0; i < n && r == 0; i++)
		r = write_object(out, profile, &object[i], i ? 0 : skip);
	if (out && fclose(out) != 0)
		r = -ENOMEM;
	return r < 0 ? r : talk(path, t);
}

/* Takes answers as far as they go; how many objects have one. */
static int take(const struct talk *t, struct code_object *object, size_t n)
{
	const uint8_t *at = (const uint8_t *)t->answer;
	size_t left = t->answer_bytes;

	for (size_t i = 0; i < n; i++) {
		long used = inspect_answer_take(at, left, &object[i]);

		if (used < 0)
			return used == -ENOMEM ? -ENOMEM : (int)i;
		at += used;
		left -= (size_t)used;
	}
	return (int)n;
}

static void refuse(struct code_object *object, size_t n, const char *problem)
{
	for (size_t i = 0; i < n; i++)
		object[i].problem = object[i].code_problem = problem;
}

/* One round from @done on: how many more have an answer. @skip is for the first of them. */
static int ask_and_take(const char *path, const struct profile *profile, struct code_object *object,
	size_t n, uint8_t skip)
{
	struct talk t = {0};
	int r = ask(path, profile, object, n, skip, &t);

	if (r == 0)
		r = take(&t, object, n);
	free(t.asked);
	free(t.answer);
	return r;
}

static int inspect(
	void *context, const struct profile *profile, struct code_object *object, size_t n)
{
	struct inspect *inspect = context;
	char path[PATH_MAX];
	uint8_t skip = 0;
	size_t done = 0;

	for (size_t i = 0; i < n; i++)
		inspect_answer_init(&object[i]);
	if (!libexec_find("sprofil-inspector", path)) {
		refuse(object, n,
			"sprofil-inspector is missing: it belongs into libexec/sprofil beside bin");
		return 0;
	}
	if (inspect->waiting)
		waiting_say(inspect->waiting, "reading programs and libraries");
	while (done < n) {
		int r = ask_and_take(path, profile, object + done, n - done, skip);

		if (r == -ENOMEM)
			return r;
		if (r < 0) {
			refuse(object + done, n - done, "sprofil-inspector cannot be started");
			return 0;
		}
		done += (size_t)r;
		/* One without an answer has ended it: less of that file is tried. */
		skip = r ? 1 : skip + 1;
		if (done < n && skip > SKIP_MOST) {
			refuse(&object[done++], 1,
				"the file was too much for what reads it, and is left alone");
			skip = 0;
		}
	}
	return 0;
}

static int read_source(void *context, const char *file, bool shared, char **ret_text,
	char **ret_path, char **ret_problem)
{
	const struct inspect *inspect = context;

	return source_files_read(&inspect->sources, file, shared, ret_text, ret_path, ret_problem);
}

static int fetch(void *context, const char *path, const char *build_id, const char **ret_problem)
{
	return debuginfod_fetch(((struct inspect *)context)->waiting, path, build_id, ret_problem);
}

static int package(void *context, const char *path, char **ret_command)
{
	(void)context;
	return package_command(path, ret_command);
}

struct code_reader inspect_reader(struct inspect *inspector)
{
	return (struct code_reader){.inspect = inspect,
		.source = read_source,
		.fetch = fetch,
		.package = package,
		.context = inspector};
}
