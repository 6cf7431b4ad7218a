/* SPDX-License-Identifier: MIT */
/* The live view in the analyst: takes records, draws screens, reads keys, asks the supervisor. */
#ifndef TOOLS_LIVE_LIVE_SESSION_H
#define TOOLS_LIVE_LIVE_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "proto/ring.h"

struct analyst;
struct live_screen;
struct live_settings;

struct live_session {
	const struct live_settings *settings;
	struct analyst *analyst;
	struct ring *ring;
	int bell_fd, request_fd;
	FILE *capture;
	/* Writes the profile so far to a file. 0 or -errno. Prints nothing. */
	int (*save)(void *context, const char *path);
	void *context;
	struct live_screen *screen; /* NULL: no screen is open */
	bool stuck;                 /* result: the terminal is blocked, and was not restored */
	bool unwritten;             /* result: stdout of batch mode could not be written */
};

/*
 * Returns when the user has left and all records are taken; the terminal is restored. 0; -ENOTSUP
 * or -ENOTTY: no view was shown, as live_screen_open() failed; -ENOMEM: memory is short; -EPROTO:
 * the ring is broken.
 */
int live_session_run(struct live_session *session);

#endif
