/* SPDX-License-Identifier: MIT */
/*
 * The server's requests (tools/sprofil-server.c): the profile so far as a piece, and with on_demand
 * whether samples are taken. It talks to strangers, so nothing else that it says is done.
 *
 * Each analyst's records are a segment of the profile. They are numbered, for the server to know
 * whether one is still to come.
 */
#ifndef SUPERVISOR_SERVING_H
#define SUPERVISOR_SERVING_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct engine_options;

struct serving {
	int fd;           /* of its requests; -1: there is no server, or no more */
	bool frozen;      /* nobody wants samples */
	bool asked;       /* for a piece that there was no room for in the ring */
	uint32_t segment; /* the last one's number; the first has 1 */
	char segment_text[12];
};

void serving_begin(struct serving *serving, const struct engine_options *options);
/* The number of the analyst that is started, for its command line. Valid until the next call. */
const char *serving_next_segment(struct serving *serving);
/* Takes what has come. */
void serving_read(struct engine *engine);
/* Gives what was asked for and could not be given yet. */
void serving_turn(struct engine *engine);

#endif
