/* SPDX-License-Identifier: MIT */
/*
 * Reads profiles from files and pipes. Writes files and pipes; a regular file is replaced
 * completely or not at all.
 */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * Reads the profile at @path, "-" is standard input; the caller frees *@ret_profile. On failure
 * (-errno), *@ret_problem is a sentence with the file, the cause and the remedy, which the caller
 * frees; NULL if out of memory. On success it is such a sentence if a part of the file was skipped,
 * otherwise NULL.
 */
int file_read(const char *path, struct profile **ret_profile, char **ret_problem);

/*
 * Reads all bytes of a file that is not a profile; the caller frees *@ret_data. -EFBIG: more than 1
 * GiB. @path, other errors and *@ret_problem as for file_read().
 */
int file_read_bytes(const char *path, uint8_t **ret_data, size_t *ret_bytes, char **ret_problem);

/*
 * Writes @bytes bytes to @path, "-" is standard output. An existing file that is not a regular one
 * (a pipe, /dev/null) is written in place; a regular file is replaced completely or not at all, by
 * the rules of outfile.h. -errno.
 */
int file_write(const char *path, const void *data, size_t bytes);

/*
 * Writes a file as file_write() does, but waits for the reader of a pipe only as long as a peer
 * process lives. The peer holds the reading end of another pipe, whose writing end is @peer_fd; -1:
 * there is no peer, and the wait has no limit. -EINTR: the peer died first. *@ret_problem: a
 * constant sentence that says more than the -errno, or NULL.
 */
int file_write_while(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem);

/*
 * Writes to @fd, which may be non-blocking if @peer_fd >= 0. @peer_fd and the results are those of
 * file_write_while().
 */
int file_write_fd(int fd, const void *data, size_t bytes, int peer_fd);

#endif
