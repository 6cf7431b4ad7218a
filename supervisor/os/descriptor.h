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

/*
 * Returns the kind of descriptor @fd of thread @tid of process @pid, by ids of our own pid
 * namespace.
 */
enum descriptor_kind descriptor_kind(int pid, int tid, int fd);

/*
 * Returns how long a call of thread @tid on a socket may block, in ns: SO_SNDTIMEO or SO_RCVTIMEO.
 * 0: no limit, non-blocking, or not a socket. *@ret_internet: is it of an internet family, in which
 * a connect that has timed out continues?
 */
uint64_t descriptor_wait_ns(int pid, int tid, int fd, bool send, bool *ret_internet);

/*
 * Closes a copy of a descriptor of the target. If the target has closed its own meanwhile, this is
 * the last close, which may block: for a socket with SO_LINGER, or a file of a file system in user
 * space. The caller never blocks: a separate thread does such a close; if none can be created, the
 * descriptor is leaked.
 */
void descriptor_close(int fd);

#endif
