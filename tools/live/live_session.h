/* SPDX-License-Identifier: MIT */
/*
 * The live view running in the analyst: takes records, names new locations, draws screens, reads
 * keys, sends requests to the supervisor.
 */
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
	/* Writes the profile so far to a file; returns 0, or -errno. Prints nothing. */
	int (*save)(void *context, const char *path);
	void *context;
	struct live_screen *screen; /* the screen, while there is one; NULL */
	bool stuck;                 /* result: the terminal is blocked and could not be restored */
	bool unwritten;             /* result: standard output of batch mode could not be written */
};

/*
 * Blocks until the user has left and all records are taken. 0; -ENOTSUP, -ENOTTY: there was no
 * view; -ENOMEM; -EPROTO: the ring is broken. The terminal has been restored.
 */
int live_session_run(struct live_session *session);

#endif
