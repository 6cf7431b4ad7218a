/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of consecutive spans of time, each in a memory file. An analyst of
 * its own writes each piece, and seals its file. The analyst that is asked for a profile reads all
 * pieces. The supervisor holds the files, drops the oldest ones, and seals the files that dead
 * analysts left unsealed.
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
