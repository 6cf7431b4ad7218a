/* SPDX-License-Identifier: MIT */
/*
 * Output files: profiles, captures, histograms, exports. libc only.
 *
 * A regular file is created in its final folder, under an unpredictable name (O_EXCL), and renamed
 * within the folder that was found (chase.h). It replaces an older file of that name: the mode of
 * the new file is 0666 without the umask, and without the permissions that the older file lacks.
 * Nothing else is taken from the older file, neither owner nor set-ID bits. An older file of
 * another user, or with such bits, is refused.
 *
 * An existing file that is not a regular one is written in place if it is a pipe, a terminal, or
 * /dev/null, /dev/zero or /dev/full; other devices and sockets are refused.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>

#include "base/chase.h"

enum {
	OUTFILE_FRESH_BYTES = 32,
	OUTFILE_AT_ONCE = -2 /* a @peer_fd of outfile_begin() */
};

struct outfile {
	struct chased at;
	int fd;                          /* to be written to */
	char fresh[OUTFILE_FRESH_BYTES]; /* name before the rename; "": renamed, or in place */
};

/*
 * Creates or opens the file. 0, and outfile_commit() or outfile_abandon() must follow; or -errno:
 * *@ret_problem is then a sentence that says more, or NULL.
 *
 * @peer_fd says how long to wait for the reader of a FIFO. -1: until one comes. A descriptor of a
 * pipe: until one comes, or that pipe is closed at its other end (-EINTR). OUTFILE_AT_ONCE: not at
 * all (-EAGAIN). In the last two cases the FIFO is opened non-blocking.
 */
int outfile_begin(struct outfile *outfile, const char *path, int peer_fd, const char **ret_problem);
/*
 * Keeps the existing file that the new one will replace, if it is regular and not empty, as
 * NAME.old. An earlier NAME.old is replaced if it is a regular file of the same owner. Failures are
 * ignored, as the new file matters more. To be called before outfile_name().
 */
void outfile_keep_old(const struct outfile *outfile);
/* Gives the file its name; the descriptor stays open. 0, or -errno: it has no name yet. */
int outfile_name(struct outfile *outfile);
/*
 * Gives the file another name than its final one, @name, in the same folder; the descriptor stays
 * open. 0, or -errno; -EEXIST: the name exists, and the caller may try another one. Not for a file
 * written in place.
 */
int outfile_name_new(struct outfile *outfile, const char *name);
/* Closes the file and gives it its name. 0, or -errno: the new file is removed. */
int outfile_commit(struct outfile *outfile);
/* Removes the new file; an existing one is unchanged. */
void outfile_abandon(struct outfile *outfile);

/* Can @path be written? Leaves no file behind. 0, or -errno as of outfile_begin(). */
int outfile_check(const char *path, const char **ret_problem);

/* Is @path written in place, as it exists and is neither a regular file nor a folder? */
bool outfile_is_in_place(const char *path);

/*
 * Opens a file for appending or creates it, and refuses what outfile_begin() refuses. Returns a
 * descriptor, or -errno.
 */
int outfile_append(const char *path, const char **ret_problem);

#endif
