/* SPDX-License-Identifier: MIT */
/* The address to which a profile is sent. */
#ifndef TOOLS_SERVE_PUSH_URL_H
#define TOOLS_SERVE_PUSH_URL_H

#include <stdint.h>

/*
 * Returns the address to which a profile is sent: that of the store's "ingest", with parameters
 * (Pyroscope's "Server HTTP API"):
 *
 * 	http://store:4040 -> http://store:4040/ingest?format=pprof&name=redis&from=1700000000
 * 		&until=1700000015&spyName=sprofil
 *
 * A path in @url is kept. A parameter in the query of @url (name=…) replaces the parameter of that
 * name. The caller frees the result; NULL: out of memory.
 */
char *push_url(const char *url, const char *name, uint64_t from, uint64_t until);

#endif
