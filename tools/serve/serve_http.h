/* SPDX-License-Identifier: MIT */
/*
 * The server's HTTP: /debug/pprof/ and /debug/pprof/profile?seconds=N, as in Go programs. Clients
 * may be slow, silent or hostile: their connections, memory and time are limited. All functions are
 * called in one thread, and do not block.
 */
#ifndef TOOLS_SERVE_SERVE_HTTP_H
#define TOOLS_SERVE_SERVE_HTTP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/serve/serve_spans.h"

struct http;

/*
 * Number of descriptors to poll: the library's epoll descriptor, the listening socket, and one for
 * each client that waits for a profile.
 */
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
/* Returns the number of requests that are not yet answered completely. */
size_t http_requests(const struct http *http);

/*
 * Fills in HTTP_POLLS descriptors @fds. Lowers *@until_ns to the time at which http_turn() must be
 * called even without an event.
 */
void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns);
/* Handles the events in @fds, and answers the requests whose spans are complete. */
void http_turn(struct http *http, const struct pollfd *fds, uint64_t now_ns);

#endif
