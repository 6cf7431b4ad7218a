/* SPDX-License-Identifier: MIT */
/* The socket that listens for HTTP. */
#ifndef TOOLS_SERVE_SOCKET_H
#define TOOLS_SERVE_SOCKET_H

#include <stdbool.h>

/* Can only clients on this machine reach the socket? True if that is unknown. */
bool socket_is_loopback(int fd);
/* TCP keep-alive notices a lost peer; accepted sockets inherit the option from @fd. */
void socket_begin_listening(int fd);

#endif
