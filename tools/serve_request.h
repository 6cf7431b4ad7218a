/* SPDX-License-Identifier: MIT */
/* What a client may ask the server, as text. */
#ifndef TOOLS_SERVE_REQUEST_H
#define TOOLS_SERVE_REQUEST_H

#include <stdbool.h>

/* As with Go's net/http/pprof; and the longest. */
enum { REQUEST_SECONDS = 30, REQUEST_SECONDS_MOST = 600 };

/* The parameter "seconds", NULL not given. False: no whole number from 1 to the longest. */
bool request_seconds(const char *text, unsigned *ret_seconds);

/*
 * Does a Host header name this machine's loopback: "localhost" or an address, with a port or
 * without? Another name is that of a web page which has its name resolved to 127.0.0.1, to reach
 * what listens there. NULL (HTTP/1.0) is none.
 */
bool request_host_is_loopback(const char *host);

#endif
