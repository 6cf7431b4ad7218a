/* SPDX-License-Identifier: MIT */
/*
 * The pieces of --ring: profiles of the last minutes, in files that are nothing but memory. An
 * analyst fills one each; whoever is asked for a profile gets those before its own, too. What is in
 * them the supervisor does not look at.
 */
#ifndef SUPERVISOR_PIECES_H
#define SUPERVISOR_PIECES_H

#include <stddef.h>

/* So many whole pieces make the time of --ring; one more is being filled. */
enum { PIECES_BEFORE = 4, PIECES_HELD = PIECES_BEFORE + 1 };

struct held_pieces {
	struct held_piece {
		int fd, pid; /* pid: of the analyst that fills it, 0 none yet */
	} piece[PIECES_HELD];    /* the newest is the last */
	size_t n;
};

/* Another piece begins; the oldest one goes if there are too many. -errno. */
int pieces_begin(struct held_pieces *pieces);
/* Their descriptors as an analyst gets them: its own, then those before, the oldest first. */
size_t pieces_list(const struct held_pieces *pieces, int ret_fd[PIECES_HELD]);
/* The newest one is filled by this process. */
void pieces_set_writer(struct held_pieces *pieces, int pid);
/* This process is gone: nobody is to wait for what it may not have written. */
void pieces_writer_gone(struct held_pieces *pieces, int pid);
void pieces_release(struct held_pieces *pieces);

#endif
