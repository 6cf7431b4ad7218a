/* SPDX-License-Identifier: MIT */
/* The socket that listens for HTTP. */
#ifndef TOOLS_SERVE_SOCKET_H
#define TOOLS_SERVE_SOCKET_H

#include <stdbool.h>

/* Do only clients on this machine reach the socket? True if that cannot be found out. */
bool socket_is_loopback(int fd);
/*
 * Turns on TCP keep-alive, which notices that a peer is gone: accepted sockets inherit it from @fd.
 */
void socket_begin_listening(int fd);

#endif
