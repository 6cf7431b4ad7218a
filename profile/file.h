/* SPDX-License-Identifier: MIT */
/* Profiles in files. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * Reads the profile at @path, "-" is standard input. On failure, *@ret_problem is a sentence with
 * the file, the cause and the remedy, freed by the caller; NULL if out of memory. On success it is
 * such a sentence if a part of the file was skipped, otherwise NULL.
 */
int file_read(const char *path, struct profile **ret_profile, char **ret_problem);

/*
 * Reads all bytes of a file that is not a profile, at most 1 GiB; @path and *@ret_problem as above.
 * The caller frees them.
 */
int file_read_bytes(const char *path, uint8_t **ret_data, size_t *ret_bytes, char **ret_problem);

/*
 * Writes @bytes bytes to @path, "-" is standard output. An existing file that is not a regular one
 * (a pipe, /dev/null) is written in place; a regular file is replaced completely or not at all, by
 * the rules of outfile.h. -errno.
 */
int file_write(const char *path, const void *data, size_t bytes);

/*
 * Writes a file likewise, but waits for the reader of a pipe only as long as the reading end of
 * another pipe is open, whose writing end is @peer_fd. -EINTR: no reader came. *@ret_problem: a
 * sentence that says more than the -errno, or NULL.
 */
int file_write_while(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem);

/*
 * Writes to a descriptor; with @peer_fd >= 0 it may be non-blocking. Otherwise as
 * file_write_while().
 */
int file_write_fd(int fd, const void *data, size_t bytes, int peer_fd);

#endif
