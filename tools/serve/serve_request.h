/* SPDX-License-Identifier: MIT */
/* The parameters of a client's request. */
#ifndef TOOLS_SERVE_SERVE_REQUEST_H
#define TOOLS_SERVE_SERVE_REQUEST_H

#include <stdbool.h>

/* Seconds of a profile: the default (that of Go's net/http/pprof) and the maximum. */
enum { REQUEST_SECONDS = 30, REQUEST_SECONDS_MOST = 600 };

/* Parses the parameter "seconds"; NULL: the default. False: no integer from 1 to the maximum. */
bool request_seconds(const char *text, unsigned *ret_seconds);

/*
 * May a client of a server on the loopback send this Host header? True for "localhost" and IP
 * addresses, with or without a port, and for NULL (HTTP/1.0 has no Host header). False for any
 * other name: a web page may let its own name resolve to 127.0.0.1, so that a browser's scripts
 * reach local servers.
 */
bool request_host_is_loopback(const char *host);

#endif
