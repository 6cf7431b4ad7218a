/* SPDX-License-Identifier: MIT */
/*
 * Requests of the server (tools/sprofil-server.c): a piece of the profile so far and, with
 * on_demand, whether to sample. The server talks to strangers: no other request is honoured.
 *
 * The records of one analyst are a segment. Segments are numbered, so that the server knows whether
 * one is still to come.
 */
#ifndef SUPERVISOR_SERVING_H
#define SUPERVISOR_SERVING_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct engine_options;

struct serving {
	int fd;           /* the server's requests; -1: there is no server, or it has ended */
	bool asked;       /* a requested piece waits: the ring is full, or files change */
	uint32_t segment; /* number of the newest segment: 1 for the first, 0 before that */
	char segment_text[12];
};

void serving_begin(struct serving *serving, const struct engine_options *options);
/*
 * Returns the number of the next segment as text, for the command line of its analyst. The text is
 * valid until the next call.
 */
const char *serving_next_segment(struct serving *serving);
/* Reads the server's pending requests, and honours them. */
void serving_read(struct engine *engine);
/* Retries a request that could not be honoured yet. */
void serving_poll(struct engine *engine);

#endif
