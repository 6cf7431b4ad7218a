/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of a part of its time each, in files that are nothing but memory.
 * Each is written by an analyst of its own, which seals it, and read by the one that is asked for
 * the last minutes. The supervisor holds them, drops the oldest, and seals what a dead analyst
 * left.
 */
#ifndef TOOLS_PIECES_H
#define TOOLS_PIECES_H

#include <stdbool.h>
#include <stddef.h>

struct profile;

enum { PIECES_BEFORE_MOST = 4 };

struct pieces {
	bool on;
	int own_fd;                        /* for the piece of this analyst */
	int before_fd[PIECES_BEFORE_MOST]; /* the oldest first */
	size_t before;
};

/* Writes @profile as a piece, and seals it. -errno. */
int pieces_keep(int fd, const struct profile *profile);

/*
 * A new profile of the pieces before and of @last. Waits a few seconds at most for one that is
 * being written; one that is missing or broken is left out, and a note tells it. -ENOMEM.
 */
int pieces_join(
	const struct pieces *pieces, const struct profile *last, struct profile **ret_profile);

#endif
