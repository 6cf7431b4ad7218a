/* SPDX-License-Identifier: MIT */
/* What a descriptor of the target is. Not in the stop window. */
#ifndef SUPERVISOR_DESCRIPTOR_H
#define SUPERVISOR_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

enum descriptor_kind {
	DESCRIPTOR_OTHER, /* also when it cannot be told */
	DESCRIPTOR_PIPE,
	DESCRIPTOR_STREAM, /* a socket that keeps no record boundaries */
	DESCRIPTOR_TERMINAL,
	DESCRIPTOR_ENDLESS, /* /dev/zero, /dev/urandom */
};

/* Descriptor @fd of thread @tid of process @pid, which are ids of our own namespace. */
enum descriptor_kind descriptor_kind(int pid, int tid, int fd);

/*
 * How long a call on a socket may block, in ns: SO_SNDTIMEO or SO_RCVTIMEO. 0: for ever, or it is
 * no socket. @ret_internet: of the internet families, where a connect that takes too long goes on.
 */
uint64_t descriptor_wait_ns(int pid, int fd, bool send, bool *ret_internet);

/*
 * Closes a copy of a descriptor of the target. If the target has closed it meanwhile this is the
 * last close, which may take long: of a socket with SO_LINGER, of a file of user space. We never
 * wait for that: where it is possible a thread of its own does.
 */
void descriptor_close(int fd);

#endif
