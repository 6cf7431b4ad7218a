/* SPDX-License-Identifier: MIT */
/*
 * The server's HTTP: /debug/pprof/ and /debug/pprof/profile?seconds=N, as in Go programs. Clients
 * may be slow, silent or hostile: their connections, memory and time are limited. It works in one
 * thread, which never blocks here.
 */
#ifndef TOOLS_SERVE_SERVE_HTTP_H
#define TOOLS_SERVE_SERVE_HTTP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/serve/serve_spans.h"

struct http;

/* Descriptors to poll: the library's, the listening one, one per client waiting for a profile. */
enum { HTTP_POLLS = 2 + SPANS_MOST };

/*
 * @reachable: other machines can reach @listen_fd; if not, requests for any host other than the
 * loopback are refused. Takes @listen_fd on success; borrows the rest. 0 or -errno; -ENOTSUP: no
 * libmicrohttpd.
 */
int http_begin(int listen_fd, bool reachable, struct spans *spans, const char *name,
	struct http **ret_http);
void http_end(struct http *http);
/* Accepts no more connections. */
void http_quiesce(struct http *http);
/* Returns the number of requests being answered or waiting for an answer. */
size_t http_requests(const struct http *http);

/* Fills in HTTP_POLLS descriptors @fds, and lowers *@until_ns to the time of the next task. */
void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns);
/* Handles the events in @fds, and answers the requests whose spans are complete. */
void http_turn(struct http *http, const struct pollfd *fds, uint64_t now_ns);

#endif
