/* SPDX-License-Identifier: MIT */
/* Files that the analyst writes: the opener makes and names them, the analyst fills them. */
#ifndef TOOLS_DELIVERY_H
#define TOOLS_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/opening.h"

struct opener;
struct profile;

struct delivery {
	struct opener *opener;
	/* A pipe's reader is awaited while somebody has the reading end of this one open; -1 ever.
	 */
	int peer_fd;
	bool snapshot; /* OPENING_OUTPUT: named by the time of now, beside the profile of the end */
};

enum { DELIVERY_WHY_BYTES = 512 };

/* What came of it: enough of the answers to tell of it. */
struct delivered {
	char name[OPENING_PATH_MOST + 1]; /* of the file */
	char why[DELIVERY_WHY_BYTES];     /* on failure a sentence that says more, or "" */
};

/*
 * @profile to the file of that kind (OPENING_OUTPUT, _VIEW, _KEEP), in the format that its name
 * asks for. @name: of the process (OUTPUT), of the file (VIEW). -errno; -EINTR: nobody reads it.
 */
int delivery_write(const struct delivery *delivery, uint32_t kind, uint32_t pid, const char *name,
	const struct profile *profile, struct delivered *ret_delivered);

/* To standard output, as pprof. */
int delivery_print(const struct delivery *delivery, const struct profile *profile);

/* The capture, which has its name from the beginning. NULL, and *ret_error. */
FILE *delivery_capture(
	const struct delivery *delivery, int *ret_error, struct delivered *ret_delivered);

#endif
