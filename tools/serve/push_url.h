/* SPDX-License-Identifier: MIT */
/* The destination of a profile. */
#ifndef TOOLS_SERVE_PUSH_URL_H
#define TOOLS_SERVE_PUSH_URL_H

#include <stdint.h>

/*
 * Returns the address of a store's ingest with its parameters (Pyroscope's "Server HTTP API"):
 *
 *	http://store:4040 -> http://store:4040/ingest?name=redis&from=1700000000&until=1700000015
 *		&format=pprof&spyName=sprofil
 *
 * A path in the address is kept, and parameters in its query (name=…) are not repeated. The caller
 * frees the result; NULL: out of memory.
 */
char *push_url(const char *url, const char *name, uint64_t from, uint64_t until);

#endif
