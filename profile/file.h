/* SPDX-License-Identifier: MIT */
/* Reads profiles, and writes files: replaces a regular one completely or not at all. */
#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * Reads the profile at @path ("-": standard input); the caller frees *@ret_profile. 0 or -errno.
 * *@ret_problem, which the caller frees, says what is wrong with the file, and after a failure what
 * the user can do. NULL: nothing is wrong, or out of memory.
 */
int file_read(const char *path, struct profile **ret_profile, char **ret_problem);

/*
 * Reads a file that is not a profile; the caller frees *@ret_data. "-" is standard input. 0;
 * -EFBIG: more than 1 GiB; or another -errno. Only a failure sets *@ret_problem, which the caller
 * frees: what is wrong, and what the user can do, or NULL if out of memory.
 */
int file_read_bytes(const char *path, uint8_t **ret_data, size_t *ret_bytes, char **ret_problem);

/*
 * Reads a descriptor to its end; the caller frees *@ret_data. If the first byte is 0, and @zero is
 * false, returns what was read until then: no profile begins with 0, and so /dev/zero is not read
 * to the limit. 0; -EFBIG: more than @most bytes; or another -errno.
 */
int file_read_fd(int fd, bool zero, size_t most, uint8_t **ret_data, size_t *ret_bytes);

/*
 * Writes @bytes bytes to @path ("-": standard output), by the rules of outfile.h: a pipe or device
 * is written in place, a regular file replaced. 0 or -errno.
 */
int file_write(const char *path, const void *data, size_t bytes);

/*
 * file_write(), but waits for the reader of a pipe only as long as a peer process lives. The peer
 * holds the reading end of a second pipe; @peer_fd is the writing end of that pipe (-1: no peer, no
 * limit). -EINTR: the peer died. *@ret_problem: a constant sentence that says more than -errno, or
 * NULL.
 */
int file_write_while(
	const char *path, const void *data, size_t bytes, int peer_fd, const char **ret_problem);

/* file_write_while() to a descriptor, which may be non-blocking if @peer_fd >= 0. */
int file_write_fd(int fd, const void *data, size_t bytes, int peer_fd);

#endif
