/* SPDX-License-Identifier: MIT */
/* Parses the parameters of a client's request. */
#ifndef TOOLS_SERVE_SERVE_REQUEST_H
#define TOOLS_SERVE_SERVE_REQUEST_H

#include <stdbool.h>

/* Seconds of a profile: the default, which is that of Go's net/http/pprof, and the maximum. */
enum { REQUEST_SECONDS = 30, REQUEST_SECONDS_MOST = 600 };

/*
 * Parses the parameter "seconds"; NULL: the default. False: not an integer from 1 to the maximum.
 */
bool request_seconds(const char *text, unsigned *ret_seconds);

/*
 * May a client of a server on the loopback have this Host header: "localhost" or any IP address,
 * with or without a port? Any other name may be that of a web page which resolves to 127.0.0.1, in
 * order to reach local servers. True for NULL: HTTP/1.0 has no Host header.
 */
bool request_host_is_loopback(const char *host);

#endif
