/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of consecutive times, in memory files. Each is written by an
 * analyst of its own, which seals it, and read by the analyst that is asked for the last minutes.
 * The supervisor holds them, drops the oldest, and seals those of dead analysts.
 */
#ifndef TOOLS_ANALYST_PIECES_H
#define TOOLS_ANALYST_PIECES_H

#include <stdbool.h>
#include <stddef.h>

struct profile;

enum { PIECES_BEFORE_MOST = 4 };

struct pieces {
	bool on;
	int own_fd;                        /* descriptor of this analyst's piece */
	int before_fd[PIECES_BEFORE_MOST]; /* descriptors of earlier pieces, oldest first */
	size_t before;
};

/* Writes @profile as a piece, and seals it. -errno. */
int pieces_keep(int fd, const struct profile *profile);

/*
 * Merges the earlier pieces and @last into a new profile. Waits a few seconds at most for a piece
 * that is being written; a missing or broken one is skipped, with a note. -ENOMEM.
 */
int pieces_join(
	const struct pieces *pieces, const struct profile *last, struct profile **ret_profile);

#endif
