/* SPDX-License-Identifier: MIT */
/* Parses the parameters of a client's request. */
#ifndef TOOLS_SERVE_SERVE_REQUEST_H
#define TOOLS_SERVE_SERVE_REQUEST_H

#include <stdbool.h>

/* The default of Go's net/http/pprof; and the maximum. */
enum { REQUEST_SECONDS = 30, REQUEST_SECONDS_MOST = 600 };

/* The parameter "seconds", NULL: not given. False: not an integer from 1 to the maximum. */
bool request_seconds(const char *text, unsigned *ret_seconds);

/*
 * Does a Host header name this machine's loopback: "localhost" or an address, with or without a
 * port? Any other name may be that of a web page whose name resolves to 127.0.0.1, in order to
 * reach local servers. True for NULL: HTTP/1.0 has no Host header.
 */
bool request_host_is_loopback(const char *host);

#endif
