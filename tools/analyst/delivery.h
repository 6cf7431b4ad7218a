/* SPDX-License-Identifier: MIT */
/* Files of the analyst: the opener creates and names them, the analyst fills them. */
#ifndef TOOLS_ANALYST_DELIVERY_H
#define TOOLS_ANALYST_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/opening.h"

struct opener;
struct profile;

struct delivery {
	struct opener *opener;
	/*
	 * The writing end of a pipe to the supervisor; -1: none. Opening a FIFO waits for a reader;
	 * the wait fails when the pipe's reading end is closed. Without a pipe it never ends.
	 */
	int peer_fd;
	/* the file is not the final profile's, and gets the time in its name (OPENING_OUTPUT) */
	bool snapshot;
};

enum { DELIVERY_WHY_BYTES = 512 };

struct delivered {
	char name[OPENING_PATH_MOST + 1];
	char why[DELIVERY_WHY_BYTES]; /* on failure a sentence with details, "" if there are none */
};

/*
 * Writes @profile to the file of @kind (OPENING_OUTPUT, _VIEW, _KEEP), in the format of its suffix.
 * @name is the process's (OUTPUT) or the file's (VIEW). 0 or -errno; -EINTR: the supervisor ended
 * before the FIFO had a reader. Always sets @ret_delivered.
 */
int delivery_write(const struct delivery *delivery, uint32_t kind, uint32_t pid, const char *name,
	const struct profile *profile, struct delivered *ret_delivered);

/* Writes @profile to standard output, as pprof. 0 or -errno. */
int delivery_print(const struct delivery *delivery, const struct profile *profile);

/* Opens --capture's file under its final name; the caller closes it. NULL: *@ret_error < 0. */
FILE *delivery_capture(
	const struct delivery *delivery, int *ret_error, struct delivered *ret_delivered);

#endif
