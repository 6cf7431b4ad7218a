/* SPDX-License-Identifier: MIT */
/* Profiles in files. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * Reads the profile at @path, "-" is standard input. On failure, *@ret_problem is a sentence that
 * names the file, the cause and the way out, which the caller frees; NULL when out of memory. On
 * success it is one when something in the file was left out, else NULL.
 */
int file_read(const char *path, struct profile **ret_profile, char **ret_problem);

/*
 * All bytes of a file that is no profile, at most 1 GiB; @path and *@ret_problem as above. The
 * caller frees them.
 */
int file_read_bytes(const char *path, uint8_t **ret_data, size_t *ret_bytes, char **ret_problem);

/*
 * Writes @bytes bytes to @path, "-" is standard output. What exists and is not a regular file (a
 * pipe, /dev/null) is written in place; a regular file is replaced whole or not at all, by the
 * rules of outfile.h. -errno of what failed.
 */
int file_write(const char *path, const void *data, size_t bytes);

/*
 * The same, but waits for the reader of a pipe only as long as somebody has the reading end of
 * another pipe open, whose writing end is @peer_fd. -EINTR: in vain. *@ret_problem: a sentence that
 * says more than the -errno, or NULL.
 */
int file_write_while(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem);

/* The same to a descriptor; with @peer_fd >= 0 it may be one that does not block. */
int file_write_fd(int fd, const void *data, size_t bytes, int peer_fd);

#endif
