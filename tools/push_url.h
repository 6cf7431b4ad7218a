/* SPDX-License-Identifier: MIT */
/* Where a profile goes to. */
#ifndef TOOLS_PUSH_URL_H
#define TOOLS_PUSH_URL_H

#include <stdint.h>

/*
 * The address of a store's ingest with what it must be told (Pyroscope's "Server HTTP API"):
 *
 *   http://store:4040 -> http://store:4040/ingest?name=redis&from=1700000000&until=1700000015
 *                        &format=pprof&spyName=sprofil
 *
 * An address with a path keeps it, and what its query tells already (name=…) is not told again.
 * The caller frees it; NULL: no memory.
 */
char *push_url(const char *url, const char *name, uint64_t from, uint64_t until);

#endif
