/* SPDX-License-Identifier: MIT */
/* Files written by the analyst: the opener creates and names them, the analyst fills them. */
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
	 * A pipe's reader is awaited as long as the reading end of this pipe is open; -1: forever.
	 */
	int peer_fd;
	bool snapshot; /* OPENING_OUTPUT: named by the present time, besides the final profile */
};

enum { DELIVERY_WHY_BYTES = 512 };

/* The result, with the data needed for messages. */
struct delivered {
	char name[OPENING_PATH_MOST + 1]; /* name of the file */
	char why[DELIVERY_WHY_BYTES];     /* on failure a sentence with details, or "" */
};

/*
 * Writes @profile to the file of that kind (OPENING_OUTPUT, _VIEW, _KEEP), in the format of its
 * suffix. @name: of the process (OUTPUT), of the file (VIEW). -errno; -EINTR: no reader.
 */
int delivery_write(const struct delivery *delivery, uint32_t kind, uint32_t pid, const char *name,
	const struct profile *profile, struct delivered *ret_delivered);

/* Writes to standard output, as pprof. */
int delivery_print(const struct delivery *delivery, const struct profile *profile);

/* Opens the capture, which has its name from the beginning. NULL, and *ret_error. */
FILE *delivery_capture(
	const struct delivery *delivery, int *ret_error, struct delivered *ret_delivered);

#endif
