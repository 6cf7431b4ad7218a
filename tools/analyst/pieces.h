/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of consecutive times, in memory files, each written and sealed by
 * an analyst of its own. The analyst that is asked for a profile reads them. The supervisor holds
 * them, drops the oldest, and seals those of dead analysts.
 */
#ifndef TOOLS_ANALYST_PIECES_H
#define TOOLS_ANALYST_PIECES_H

#include <stdbool.h>
#include <stddef.h>

struct profile;

enum { PIECES_BEFORE_MOST = 4 };

struct pieces {
	bool on;
	int own_fd;                        /* this analyst's piece */
	int before_fd[PIECES_BEFORE_MOST]; /* earlier pieces, oldest first */
	size_t before;
};

/* Writes @profile as a piece, and seals it. 0 or -errno. */
int pieces_keep(int fd, const struct profile *profile);

/*
 * Merges the earlier pieces and @last into a new profile, which the caller frees. Waits for a piece
 * that is being written, at most 10 s. Skips a missing or broken piece, with a note. 0 or -errno.
 */
int pieces_join(
	const struct pieces *pieces, const struct profile *last, struct profile **ret_profile);

#endif
