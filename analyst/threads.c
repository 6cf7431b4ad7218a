/* SPDX-License-Identifier: MIT */
#include "analyst/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyst/analyst.h"

int thread_states_parse(const char *text, struct thread_state *state)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t bytes;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EPROTO;
	bytes = (size_t)(close - open - 1);
	if (bytes >= sizeof(state->name))
		bytes = sizeof(state->name) - 1;
	memcpy(state->name, open + 1, bytes);
	state->name[bytes] = '\0';
	state->state = close[2];
	return 0;
}

static int read_one(int tasks_fd, const char *tid, struct thread_state *state)
{
	char path[32], text[512];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%.20s/stat", tid);
	fd = openat(tasks_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	state->tid = (uint32_t)strtoul(tid, NULL, 10);
	return thread_states_parse(text, state);
}

static int add(struct thread_states *states, const struct thread_state *state)
{
	if (states->n == states->room) {
		size_t room = states->room * 2 + 64;
		void *grown = reallocarray(states->thread, room, sizeof(*states->thread));

		if (!grown)
			return -ENOMEM;
		states->thread = grown;
		states->room = room;
	}
	states->thread[states->n++] = *state;
	return 0;
}

static int read_process(struct thread_states *states, uint32_t pid)
{
	struct dirent *entry;
	char path[32];
	DIR *tasks;
	int r = 0;

	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while (r == 0 && (entry = readdir(tasks))) {
		struct thread_state state = {.pid = pid};

		if (entry->d_name[0] != '.' && read_one(dirfd(tasks), entry->d_name, &state) == 0)
			r = add(states, &state);
	}
	(void)closedir(tasks);
	return r;
}

int thread_states_read(struct thread_states *states, const struct analyst *analyst)
{
	uint32_t pid;
	int r = 0;

	states->n = 0;
	for (size_t i = 0; r == 0 && analyst_process(analyst, i, &pid); i++)
		r = read_process(states, pid);
	return r;
}

/* Counts the threads of @pid that are stopped, up to one that is not: then false. */
static bool is_stopped(uint32_t pid, size_t *stopped)
{
	struct dirent *entry;
	bool all = true;
	char path[32];
	DIR *tasks;

	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return true;
	while (all && (entry = readdir(tasks))) {
		struct thread_state state = {0};

		if (entry->d_name[0] == '.' || read_one(dirfd(tasks), entry->d_name, &state) < 0 ||
			strchr("ZX", state.state))
			continue;
		all = state.state == 'T' || state.state == 't';
		*stopped += all;
	}
	(void)closedir(tasks);
	return all;
}

bool thread_states_all_stopped(const struct analyst *analyst)
{
	size_t stopped = 0;
	uint32_t pid;

	for (size_t i = 0; analyst_process(analyst, i, &pid); i++) {
		if (!is_stopped(pid, &stopped))
			return false;
	}
	return stopped > 0;
}

void thread_states_release(struct thread_states *states)
{
	free(states->thread);
	*states = (struct thread_states){0};
}
