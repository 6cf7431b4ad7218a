/* SPDX-License-Identifier: MIT */
/*
 * The live view at work in the analyst: records in, places named as they come, screens out, keys
 * in, requests to the supervisor.
 */
#ifndef TOOLS_LIVE_SESSION_H
#define TOOLS_LIVE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/ring.h"

struct analyst;
struct live_screen;
struct live_settings {
	bool on;
	bool batch, ascii, totals, color;
	int in_fd;        /* keys come from there */
	bool goes_on;     /* sampling does, when the user leaves */
	uint64_t screens; /* batch: how many, 0 until the end */
	uint64_t delay_ns, half_life_ns, period_ns, overhead_ppm;
	uint64_t rows, columns; /* batch */
	const char *target, *view, *log, *keys, *save_as;
	const char *
		modes; /* struct termios of the terminal as it was, in hexadecimal; NULL as it is */
};

/* Takes "NAME=VALUE", as the supervisors' programs hand them over (tools/live_front.c). False: no.
 */
bool live_settings_take(struct live_settings *settings, const char *text);

struct live_session {
	const struct live_settings *settings;
	struct analyst *analyst;
	struct ring *ring;
	int bell_fd, request_fd;
	FILE *capture;
	/* Writes the profile so far to a file; returns 0, or -errno. Says nothing. */
	int (*save)(void *context, const char *path);
	void *context;
	struct live_screen *screen; /* while there is one */
	bool stuck;     /* out: the terminal takes nothing and could not be given back */
	bool unwritten; /* out: the result is that of standard output in batch mode */
};

/*
 * Blocks until the user has left and all records are taken. 0; -ENOTSUP, -ENOTTY: there was no
 * view; -ENOMEM; -EPROTO: the ring is broken. The terminal has been given back.
 */
int live_session_run(struct live_session *session);

#endif
