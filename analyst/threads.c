/* SPDX-License-Identifier: MIT */
#include "analyst/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/analyst.h"
#include "base/array.h"
#include "opener/opener.h"

#define TEXT_MOST ((size_t)64 << 20)

/* Parses "7 (a) b) R 1 …", a stat file, to the name "a) b" and the state 'R'. -EPROTO. */
static int parse_state(const char *text, struct thread_state *state)
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

/* @text has, for each thread, "TID (NAME) STATE ...\n" and a NUL. */
static int take_all(struct thread_states *states, uint32_t pid, const char *text, size_t bytes)
{
	int r = 0;

	for (const char *end = text + bytes; r == 0 && text < end; text += strlen(text) + 1) {
		struct thread_state state = {.pid = pid};

		state.tid = (uint32_t)strtoul(text, NULL, 10);
		if (parse_state(text, &state) == 0)
			r = array_add(&states->thread, &states->room, &states->n, state);
	}
	return r;
}

static int read_process(struct thread_states *states, struct opener *opener, uint32_t pid)
{
	struct opened opened;
	uint8_t *text;
	size_t bytes;
	int r;

	if (opener_ask_path(opener, OPENING_THREADS, pid, "", &opened) < 0)
		return 0;
	r = opener_take(opened.fd, TEXT_MOST, &text, &bytes);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = take_all(states, pid, (const char *)text, bytes);
	free(text);
	return r;
}

int thread_states_read(struct thread_states *states, const struct analyst *analyst)
{
	int r = 0;

	states->n = 0;
	for (size_t i = 0; r == 0 && i < analyst->spaces.n; i++)
		r = read_process(states, analyst->locations.opener, analyst->spaces.list[i]->pid);
	return r;
}

/* Counts the stopped threads. False: one is neither stopped nor dead. */
static bool are_stopped(const struct thread_states *states, size_t *stopped)
{
	for (size_t i = 0; i < states->n; i++) {
		char state = states->thread[i].state;

		if (strchr("ZX", state))
			continue;
		if (state != 'T' && state != 't')
			return false;
		++*stopped;
	}
	return true;
}

bool thread_states_all_stopped(const struct analyst *analyst)
{
	struct thread_states states = {0};
	size_t stopped = 0;
	bool all = true;

	for (size_t i = 0; all && i < analyst->spaces.n; i++) {
		states.n = 0;
		all = read_process(&states, analyst->locations.opener,
			      analyst->spaces.list[i]->pid) == 0 &&
			are_stopped(&states, &stopped);
	}
	thread_states_release(&states);
	return all && stopped > 0;
}

void thread_states_release(struct thread_states *states)
{
	free(states->thread);
	*states = (struct thread_states){0};
}
