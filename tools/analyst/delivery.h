/* SPDX-License-Identifier: MIT */
/* Files that the analyst writes. The opener (opener/opener.h) creates and names them. */
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
	 * The writing end of a pipe to the supervisor; -1: none. Opening a FIFO waits for the
	 * FIFO's reader. The wait fails when the supervisor closes the pipe's reading end; without
	 * a pipe the wait has no limit.
	 */
	int peer_fd;
	/* the file is a snapshot: its name contains the present time (OPENING_OUTPUT) */
	bool snapshot;
};

enum { DELIVERY_WHY_BYTES = 512 };

struct delivered {
	char name[OPENING_PATH_MOST + 1];
	/* on failure: a sentence with details; "": no details are known */
	char why[DELIVERY_WHY_BYTES];
};

/*
 * Writes @profile to a file, in the format of the file's suffix. @kind decides what @name is:
 * OPENING_OUTPUT: the profiled process's name; OPENING_VIEW: the file's name; OPENING_KEEP: "". 0
 * or -errno; -EINTR: the supervisor ended before the FIFO had a reader. Always sets @ret_delivered.
 */
int delivery_write(const struct delivery *delivery, uint32_t kind, uint32_t pid, const char *name,
	const struct profile *profile, struct delivered *ret_delivered);

/* Writes @profile to standard output, as pprof. 0 or -errno. */
int delivery_print(const struct delivery *delivery, const struct profile *profile);

/*
 * Opens --capture's file for writing. The file has its final name at once, unlike a profile, which
 * gets it when complete. The caller closes the file. NULL: an error; *@ret_error is -errno.
 */
FILE *delivery_capture(
	const struct delivery *delivery, int *ret_error, struct delivered *ret_delivered);

#endif
