/* SPDX-License-Identifier: MIT */
/* Replaces serve_http.c in a build without libmicrohttpd. */
#include <errno.h>

#include "tools/serve/serve_http.h"

int http_begin(int listen_fd, bool reachable, struct spans *spans, const char *name,
	struct http **ret_http)
{
	(void)listen_fd;
	(void)reachable;
	(void)spans;
	(void)name;
	(void)ret_http;
	return -ENOTSUP;
}

void http_end(struct http *http)
{
	(void)http;
}

void http_quiesce(struct http *http)
{
	(void)http;
}

size_t http_requests(const struct http *http)
{
	(void)http;
	return 0;
}

void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns)
{
	(void)http;
	(void)fds;
	(void)until_ns;
}

void http_turn(struct http *http, const struct pollfd *fds, uint64_t now_ns)
{
	(void)http;
	(void)fds;
	(void)now_ns;
}
