/* SPDX-License-Identifier: MIT */
/* The socket that listens for HTTP. */
#ifndef TOOLS_SERVE_SOCKET_H
#define TOOLS_SERVE_SOCKET_H

#include <stdbool.h>

/* Only clients on this machine reach it; true if that cannot be found out. */
bool socket_is_loopback(int fd);
/* The kernel notices that a peer is gone: sockets inherit that from the one that listens. */
void socket_begin_listening(int fd);

#endif
