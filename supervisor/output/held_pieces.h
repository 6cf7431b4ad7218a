/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of the last minutes, in memory files, each filled by one analyst.
 * An analyst asked for a profile also gets the earlier pieces. The supervisor reads none.
 */
#ifndef SUPERVISOR_HELD_PIECES_H
#define SUPERVISOR_HELD_PIECES_H

#include <stddef.h>

/* This many complete pieces cover the time of --ring; one more is being filled. */
enum { PIECES_BEFORE = 4, PIECES_HELD = PIECES_BEFORE + 1 };

struct held_pieces {
	struct held_piece {
		int fd, pid;  /* @pid is the analyst that fills it; 0: none does yet */
	} piece[PIECES_HELD]; /* oldest first */
	size_t n;
};

/* Adds a piece; drops the oldest one if there are too many. Returns 0 or -errno. */
int held_pieces_begin(struct held_pieces *pieces);
/* Lists the descriptors for an analyst: its own piece, then the earlier ones, oldest first. */
size_t held_pieces_list(const struct held_pieces *pieces, int ret_fd[PIECES_HELD]);
/* Notes that process @pid fills the newest piece. */
void held_pieces_set_writer(struct held_pieces *pieces, int pid);
/* Process @pid is gone: seals its piece, finished or not, so that nobody waits for the rest. */
void held_pieces_writer_gone(struct held_pieces *pieces, int pid);
void held_pieces_release(struct held_pieces *pieces);

#endif
