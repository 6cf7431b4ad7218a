/* SPDX-License-Identifier: MIT */
/*
 * Output files: profiles, captures, histograms, exports. libc only.
 *
 * A regular file is created in its folder (chase.h) under an unpredictable name (O_EXCL), and then
 * renamed. It may replace an older file, but not one of another user or with set-ID or sticky bits.
 * Its mode is 0666, less the umask; if it replaces a file, it gets no permission that file lacks.
 *
 * A pipe, a terminal, /dev/null, /dev/zero and /dev/full are written in place; other devices and
 * sockets are refused.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>

#include "base/chase.h"

enum {
	OUTFILE_FRESH_BYTES = 32,
	OUTFILE_AT_ONCE = -2 /* as @peer_fd of outfile_begin(): do not wait */
};

struct outfile {
	struct chased at;
	int fd; /* open for writing */
	/* the file's name until it is renamed; "": the file is renamed, or written in place */
	char fresh[OUTFILE_FRESH_BYTES];
};

/*
 * Creates or opens the file. Returns 0, and outfile_commit() or outfile_abandon() must follow; or
 * -errno, and *@ret_problem is a sentence about the cause, or NULL.
 *
 * @peer_fd says how long to wait for the reader of a FIFO. -1: without limit. A pipe's descriptor:
 * until the pipe's other end is closed (then -EINTR). OUTFILE_AT_ONCE: not at all (-EAGAIN: no
 * reader). Unless @peer_fd is -1, the FIFO is opened non-blocking.
 */
int outfile_begin(struct outfile *outfile, const char *path, int peer_fd, const char **ret_problem);
/*
 * Keeps the older file as NAME.old, if it is regular and not empty. Call before outfile_name(). An
 * earlier NAME.old is replaced if it is a regular file of the same owner. Failures are ignored.
 */
void outfile_keep_old(const struct outfile *outfile);
/* Renames the file to its final name; the descriptor stays open. Returns 0 or -errno. */
int outfile_name(struct outfile *outfile);
/*
 * Renames the file to @name in its folder; the descriptor stays open. Returns 0; -EEXIST: @name
 * exists, and stays; or another -errno. Must not be called for a file written in place.
 */
int outfile_name_new(struct outfile *outfile, const char *name);
/* Closes the file and gives it its final name. 0; -errno: that failed, the file is removed. */
int outfile_commit(struct outfile *outfile);
/* Removes the new file; an older one is unchanged. */
void outfile_abandon(struct outfile *outfile);

/* Can @path be written? Leaves no file behind. 0, or -errno as of outfile_begin(). */
int outfile_check(const char *path, const char **ret_problem);

/* Is @path written in place: does it exist, and is it neither a regular file nor a folder? */
bool outfile_is_in_place(const char *path);

/*
 * Opens or creates a file for appending. Returns its descriptor or -errno. Refuses the files that
 * outfile_begin() refuses.
 */
int outfile_append(const char *path, const char **ret_problem);

#endif
