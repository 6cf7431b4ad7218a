/* SPDX-License-Identifier: MIT */
/*
 * The server's HTTP: /debug/pprof/ and /debug/pprof/profile?seconds=N, as in Go programs. Clients
 * may be slow, silent or hostile: connections, their memory and their time are limited. One thread,
 * which never blocks here.
 */
#ifndef TOOLS_SERVE_SERVE_HTTP_H
#define TOOLS_SERVE_SERVE_HTTP_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/serve/serve_spans.h"

struct http;

/*
 * Descriptors to poll: the library's own, the one that listens, one per client that waits for a
 * profile.
 */
enum { HTTP_POLLS = 2 + SPANS_MOST };

/*
 * Starts the server's HTTP. On success takes ownership of @listen_fd, which listens; borrows @spans
 * and @name. 0 or -errno; -ENOTSUP: built without libmicrohttpd.
 */
int http_begin(int listen_fd, struct spans *spans, const char *name, struct http **ret_http);
void http_end(struct http *http);
/* Accepts no new connections. */
void http_quiesce(struct http *http);
/* Returns the number of connections being answered, or waiting for an answer. */
size_t http_requests(const struct http *http);

/*
 * Fills in @fds, the HTTP_POLLS descriptors to poll, and lowers *@until_ns to the time of the next
 * task here.
 */
void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns);
/* Handles events, and answers with the spans that are complete. */
void http_turn(struct http *http, const struct pollfd *fds, uint64_t now_ns);

#endif
