/* SPDX-License-Identifier: MIT */
/* What kind of file a descriptor of the target refers to. Must not be called in the stop window. */
#ifndef SUPERVISOR_DESCRIPTOR_H
#define SUPERVISOR_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

enum descriptor_kind {
	DESCRIPTOR_OTHER, /* another kind, or unknown */
	DESCRIPTOR_PIPE,
	DESCRIPTOR_STREAM, /* a socket without record boundaries, and without a pending error */
	DESCRIPTOR_TERMINAL,
	DESCRIPTOR_ENDLESS, /* /dev/zero, /dev/full, /dev/random, /dev/urandom */
	DESCRIPTOR_FILE,    /* a regular file */
};

/*
 * Does the link of descriptor @fd, such as "socket:[4711]", begin with @prefix, or with @other
 * (NULL: none)? Each is at most 31 bytes long. Nothing is opened, and no file system is asked.
 */
bool descriptor_is(int tid, int fd, const char *prefix, const char *other);

/* @pid and @tid are the numbers in our own pid namespace. */
enum descriptor_kind descriptor_kind(int pid, int tid, int fd);

/*
 * Returns the time-out of a socket in ns: SO_SNDTIMEO if @send, otherwise SO_RCVTIMEO. 0: the
 * socket has no time-out or is non-blocking, or the descriptor is not a socket. *@ret_internet: it
 * is an internet socket. On such a socket, a connect that has timed out continues in the
 * background.
 */
uint64_t descriptor_wait_ns(int pid, int tid, int fd, bool send, bool *ret_internet);

/*
 * Closes a copy of a descriptor of the target. If the target has closed its own, this is the last
 * close and may block (SO_LINGER, FUSE). A descriptor for which that is possible is closed by
 * another thread; if none can be created, it stays open.
 */
void descriptor_close(int fd);

#endif
