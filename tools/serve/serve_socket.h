/* SPDX-License-Identifier: MIT */
/* The socket that listens for HTTP. */
#ifndef TOOLS_SERVE_SOCKET_H
#define TOOLS_SERVE_SOCKET_H

#include <stdbool.h>

/* Do only clients on this machine reach the socket? True if that cannot be found out. */
bool socket_is_loopback(int fd);
/* Has the kernel notice that a peer is gone: sockets inherit that from the one that listens. */
void socket_begin_listening(int fd);

#endif
