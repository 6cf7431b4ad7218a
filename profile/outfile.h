/* SPDX-License-Identifier: MIT */
/*
 * Files that are written: profiles, captures, histograms, exports. libc only.
 *
 * A regular file is made anew beside its place, under a name that nobody can know (O_EXCL), and
 * renamed to it within the folder that was found (chase.h). Its mode is 0666 less the umask, less
 * what an older file of ours does not permit, and nothing else of the older file: neither owner nor
 * set-id bits. An older file of somebody else, or one with such bits, is refused.
 *
 * What exists and is no regular file is written in place if it is a pipe, a terminal, or one of
 * /dev/null, zero and full; other devices and sockets are refused.
 */
#ifndef PROFILE_OUTFILE_H
#define PROFILE_OUTFILE_H

#include "profile/chase.h"

enum { OUTFILE_FRESH_BYTES = 32, OUTFILE_AT_ONCE = -2 };

struct outfile {
	struct chased at;
	int fd;                          /* to be written to */
	char fresh[OUTFILE_FRESH_BYTES]; /* its name until it is renamed, "" written in place */
};

/*
 * To be ended by outfile_commit() or outfile_abandon(). With @peer_fd >= 0 the reader of a FIFO is
 * awaited only as long as that pipe's reading end is open (-EINTR: in vain), and the descriptor of
 * a FIFO does not block; with OUTFILE_AT_ONCE it is not awaited (-EAGAIN). -errno, and
 * *@ret_problem is a sentence that says more, or NULL.
 */
int outfile_begin(struct outfile *outfile, const char *path, int peer_fd, const char **ret_problem);
/*
 * What stands under the name by now, if it is a regular file that is not empty, gets ".old" behind
 * its name, over an older one of that name that is our own regular file too. As far as that can be
 * done: the new file is worth more. To be called before the file gets its name.
 */
void outfile_keep_old(const struct outfile *outfile);
/* The file gets its name; the descriptor stays open, and is the caller's. -errno: it got none. */
int outfile_name(struct outfile *outfile);
/*
 * The file gets the name @name in the same folder, and none that there is: -EEXIST, and it may be
 * tried again with another one. The descriptor stays open. Not for what is written in place.
 */
int outfile_name_new(struct outfile *outfile, const char *name);
/* Closes, then names. */
int outfile_commit(struct outfile *outfile);
/* No file is left, and what was there stays. */
void outfile_abandon(struct outfile *outfile);

/* Could it be written? Leaves nothing behind. The results are those of outfile_begin(). */
int outfile_check(const char *path, const char **ret_problem);

/* Opens a file to append to, or makes it; by the same rules. A descriptor or -errno. */
int outfile_append(const char *path, const char **ret_problem);

#endif
