/* SPDX-License-Identifier: MIT */
/*
 * The server's side of HTTP: /debug/pprof/ and /debug/pprof/profile?seconds=N, as programs in Go
 * have them. Clients may be slow, silent or hostile: connections, their memory and their time are
 * bounded. One thread, which never blocks here.
 */
#ifndef TOOLS_SERVE_HTTP_H
#define TOOLS_SERVE_HTTP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/serve_spans.h"

struct http;

/* Of the library's own, and of each client that waits for a profile. */
enum { HTTP_POLLS = 1 + SPANS_MOST };

/* @listen_fd listens, and belongs to it from now on. -ENOTSUP: built without libmicrohttpd. */
int http_begin(int listen_fd, struct spans *spans, const char *name, struct http **ret_http);
void http_end(struct http *http);
/* No new connections. */
void http_quiesce(struct http *http);
/* Connections that are being answered, or wait for it. */
size_t http_visits(const struct http *http);

/* Fills in what is waited for: HTTP_POLLS of them; lowers *@until_ns to when it has something to
 * do. */
void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns);
/* Takes what has come, and answers with the spans that are over. */
void http_turn(struct http *http, const struct pollfd *fds, uint64_t now_ns);

#endif
