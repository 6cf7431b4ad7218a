/* SPDX-License-Identifier: MIT */
/* What kind of file a descriptor of the target refers to. Not in the stop window. */
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

/* @pid and @tid are the numbers in our own pid namespace. */
enum descriptor_kind descriptor_kind(int pid, int tid, int fd);

/*
 * Returns the socket's SO_SNDTIMEO (@send) or SO_RCVTIMEO in ns; 0: no limit, non-blocking, or not
 * a socket. *@ret_internet: is it an internet socket, on which a connect that timed out continues?
 */
uint64_t descriptor_wait_ns(int pid, int tid, int fd, bool send, bool *ret_internet);

/*
 * Closes a copy of a descriptor of the target. That may be the last close, and so may block
 * (SO_LINGER, FUSE): then another thread does it. If none can be created, the descriptor is leaked.
 */
void descriptor_close(int fd);

#endif
