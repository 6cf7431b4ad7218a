/* SPDX-License-Identifier: MIT */
/*
 * Output files: profiles, captures, histograms, exports. libc only.
 *
 * A regular file is created next to its final place, under an unpredictable name (O_EXCL), and
 * renamed within the folder that was found (chase.h). Its mode is 0666 less the umask, less what an
 * older file of ours does not permit; nothing else is taken from the older file, neither owner nor
 * set-id bits. An older file of another user, or with such bits, is refused.
 *
 * An existing file that is not a regular one is written in place if it is a pipe, a terminal, or
 * /dev/null, zero or full; other devices and sockets are refused.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>

#include "base/chase.h"

enum { OUTFILE_FRESH_BYTES = 32, OUTFILE_AT_ONCE = -2 };

struct outfile {
	struct chased at;
	int fd;                          /* write to this */
	char fresh[OUTFILE_FRESH_BYTES]; /* name until it is renamed; "": it is written in place */
};

/*
 * Creates or opens the file. End with outfile_commit() or outfile_abandon(). With @peer_fd >= 0,
 * waits for the reader of a FIFO only as long as that pipe's reading end is open (-EINTR: none
 * came), and the descriptor of a FIFO is non-blocking; with OUTFILE_AT_ONCE, does not wait
 * (-EAGAIN). -errno, and *@ret_problem is a sentence that says more, or NULL.
 */
int outfile_begin(struct outfile *outfile, const char *path, int peer_fd, const char **ret_problem);
/*
 * Renames an existing file of that name, if it is regular and not empty, to its name with ".old"
 * appended, replacing an older one if that is our own regular file too. Failures are ignored: the
 * new file matters more. Call before the file gets its name.
 */
void outfile_keep_old(const struct outfile *outfile);
/* Gives the file its name; the descriptor stays open, and is the caller's. -errno: it got none. */
int outfile_name(struct outfile *outfile);
/*
 * Gives the file the new name @name in the same folder. -EEXIST: the name exists; may be tried
 * again with another one. The descriptor stays open. Not for a file written in place.
 */
int outfile_name_new(struct outfile *outfile, const char *name);
/* Closes the file and gives it its name. */
int outfile_commit(struct outfile *outfile);
/* Removes the new file; an existing one is unchanged. */
void outfile_abandon(struct outfile *outfile);

/* Can @path be written? Leaves nothing behind. Results as those of outfile_begin(). */
int outfile_check(const char *path, const char **ret_problem);

/* Is there a file that is neither regular nor a folder? It is written in place. */
bool outfile_is_in_place(const char *path);

/* Opens a file for appending, or creates it, by the same rules. Returns a descriptor or -errno. */
int outfile_append(const char *path, const char **ret_problem);

#endif
