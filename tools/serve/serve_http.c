/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "tools/serve/serve_request.h"

/* Maximum time of a request, from the connection or the last answer on; and of an answer. */
#define REQUEST_NS (5 * CLOCK_SECOND_NS)
#define ANSWER_NS  (120 * CLOCK_SECOND_NS)
#define LOOK_NS    CLOCK_SECOND_NS
enum { CONNECTIONS_MOST = 64, CONNECTION_BYTES = 16384, SILENCE_SECONDS = 5 };

/* A connection. */
struct guest {
	struct guest *next;
	int fd;
	uint64_t until_ns; /* when it is closed; 0: it waits for us */
};

/* A request for a profile. */
struct visit {
	struct visit *next;
	struct MHD_Connection *connection;
	struct guest *guest;
	struct span *span; /* the span it waits for; NULL: not yet, or over */
	bool left;         /* the client is gone */
	int error;
	uint8_t *data; /* the answer */
	size_t bytes;
};

struct http {
	struct MHD_Daemon *daemon;
	struct spans *spans;
	const char *name;
	bool loopback;
	struct guest *guests;
	struct visit *visits;
	uint64_t look_ns;
};

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status, const char *type,
	struct MHD_Response *response)
{
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	(void)MHD_add_response_header(response, "Content-Type", type);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		(void)MHD_add_response_header(response, "Retry-After", "5");
	if (status == MHD_HTTP_OK && type[0] == 'a')
		(void)MHD_add_response_header(
			response, "Content-Disposition", "attachment; filename=\"profile\"");
	/* pprof shows the text of an answer with this header. */
	if (status != MHD_HTTP_OK)
		(void)MHD_add_response_header(response, "X-Go-Pprof", "1");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *text)
{
	return queue(connection, status, "text/plain; charset=utf-8",
		MHD_create_response_from_buffer(
			strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

/* A name is that of a file: it may contain any character. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			(void)fprintf(out, "&#%d;", *text);
		else
			(void)fputc(*text, out);
	}
}

static enum MHD_Result answer_index(struct http *http, struct MHD_Connection *connection)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return MHD_NO;
	(void)fputs("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>", out);
	put_escaped(out, http->name);
	(void)fputs(" /debug/pprof/</title></head><body><p>", out);
	put_escaped(out, http->name);
	(void)fprintf(out,
		" by sprofil</p><table><tr><td><a href=\"profile?seconds=%d\">profile</a></td>"
		"<td>CPU profile of the seconds from now on, 1 to %d: "
		"<code>profile?seconds=N</code>, for <code>go tool pprof</code> or "
		"<code>sprofreport</code></td></tr></table></body></html>\n",
		REQUEST_SECONDS, REQUEST_SECONDS_MOST);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return queue(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
		MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result begin_profile(
	struct http *http, struct MHD_Connection *connection, struct visit *visit)
{
	unsigned seconds;
	uint64_t now = clock_now();

	if (!request_seconds(
		    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds"),
		    &seconds))
		return say(connection, MHD_HTTP_BAD_REQUEST,
			"seconds: give a whole number from 1 to 600\n");
	/* Two spans are reserved for --push. */
	if (http->spans->n + 2 < SPANS_MOST)
		visit->span = spans_begin(http->spans, now, now + seconds * CLOCK_SECOND_NS);
	if (!visit->span)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"as many profiles as can be are being taken: try again later\n");
	if (visit->guest)
		visit->guest->until_ns = 0;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static enum MHD_Result answer_profile(struct MHD_Connection *connection, struct visit *visit)
{
	uint8_t *data = visit->data;

	if (visit->left)
		return MHD_NO;
	if (visit->error == -ENODATA)
		return say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"nothing was profiled: the program has ended\n");
	if (visit->error < 0)
		return say(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			"the profile could not be made: out of memory\n");
	visit->data = NULL; /* now owned by the response */
	return queue(connection, MHD_HTTP_OK, "application/octet-stream",
		MHD_create_response_from_buffer(visit->bytes, data, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result route(struct http *http, struct MHD_Connection *connection,
	struct visit *visit, const char *url, const char *method)
{
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (http->loopback &&
		!request_host_is_loopback(
			MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
		return say(connection, MHD_HTTP_FORBIDDEN,
			"this listens on the loopback alone: ask for localhost or 127.0.0.1\n");
	if (strcmp(url, "/debug/pprof/profile") == 0 && method[0] != 'G')
		return say(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/debug/pprof/profile") == 0)
		return begin_profile(http, connection, visit);
	if (strcmp(url, "/debug/pprof/") == 0 || strcmp(url, "/debug/pprof") == 0 ||
		strcmp(url, "/") == 0)
		return answer_index(http, connection);
	return say(connection, MHD_HTTP_NOT_FOUND,
		"there are /debug/pprof/ and "
		"/debug/pprof/profile?seconds=N\n");
}

/*
 * Called when the head of a request has come, again after the whole request, and after each resume.
 */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *data, size_t *bytes, void **request)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http *http = context;
	struct visit *visit = *request;

	(void)version;
	(void)data;
	if (!visit) {
		visit = calloc(1, sizeof(*visit));
		if (!visit)
			return MHD_NO;
		visit->connection = connection;
		visit->guest = info ? info->socket_context : NULL;
		visit->next = http->visits;
		http->visits = visit;
		*request = visit;
		return MHD_YES;
	}
	if (*bytes) {
		*bytes = 0; /* bodies are ignored */
		return MHD_YES;
	}
	if (visit->guest)
		visit->guest->until_ns = clock_now() + ANSWER_NS;
	if (visit->left || visit->data || visit->error)
		return answer_profile(connection, visit);
	return route(http, connection, visit, url, method);
}

static void completed(void *context, struct MHD_Connection *connection, void **request,
	enum MHD_RequestTerminationCode why)
{
	struct http *http = context;
	struct visit *visit = *request, **at;

	(void)connection;
	(void)why;
	if (!visit)
		return;
	for (at = &http->visits; *at != visit; at = &(*at)->next)
		;
	*at = visit->next;
	if (visit->span)
		spans_end(http->spans, visit->span);
	if (visit->guest)
		visit->guest->until_ns = clock_now() + REQUEST_NS;
	free(visit->data);
	free(visit);
	*request = NULL;
}

static void noticed(void *context, struct MHD_Connection *connection, void **socket_context,
	enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct http *http = context;
	struct guest *guest = *socket_context, **at;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		guest = info ? calloc(1, sizeof(*guest)) : NULL;
		*socket_context = guest;
		if (!guest)
			return;
		*guest = (struct guest){http->guests, info->connect_fd, clock_now() + REQUEST_NS};
		http->guests = guest;
		return;
	}
	if (!guest)
		return;
	for (at = &http->guests; *at != guest; at = &(*at)->next)
		;
	*at = guest->next;
	free(guest);
	*socket_context = NULL;
}

static bool is_loopback(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} address = {0};
	socklen_t bytes = sizeof(address);

	if (getsockname(fd, &address.any, &bytes) < 0)
		return true;
	if (address.any.sa_family == AF_INET)
		return ntohl(address.four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return address.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address.six.sin6_addr);
}

int http_begin(int listen_fd, struct spans *spans, const char *name, struct http **ret_http)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	*http = (struct http){.spans = spans, .name = name, .loopback = is_loopback(listen_fd)};
	http->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
		answer, http, MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_NOTIFY_COMPLETED,
		completed, http, MHD_OPTION_NOTIFY_CONNECTION, noticed, http,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_SECONDS,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (!http->daemon) {
		free(http);
		return -EIO;
	}
	*ret_http = http;
	return 0;
}

void http_quiesce(struct http *http)
{
	(void)MHD_quiesce_daemon(http->daemon);
}

void http_end(struct http *http)
{
	for (struct visit *visit = http->visits; visit; visit = visit->next) {
		if (visit->span) {
			visit->left = true;
			spans_end(http->spans, visit->span);
			visit->span = NULL;
			MHD_resume_connection(visit->connection);
		}
	}
	(void)MHD_run(http->daemon);
	MHD_stop_daemon(http->daemon);
	free(http);
}

size_t http_visits(const struct http *http)
{
	size_t n = 0;

	for (const struct visit *visit = http->visits; visit; visit = visit->next)
		n++;
	return n;
}

void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t now = clock_now();
	size_t n = 1;

	fds[0] = (struct pollfd){.fd = info ? info->epoll_fd : -1, .events = POLLIN};
	/* The library does not watch connections that wait for us. */
	for (const struct visit *visit = http->visits; visit; visit = visit->next) {
		if (visit->span && visit->guest && n < HTTP_POLLS)
			fds[n++] = (struct pollfd){.fd = visit->guest->fd, .events = POLLRDHUP};
	}
	while (n < HTTP_POLLS)
		fds[n++] = (struct pollfd){.fd = -1};
	if (MHD_get_timeout(http->daemon, &ms) == MHD_YES && now + ms * 1000000 < *until_ns)
		*until_ns = now + ms * 1000000;
	if (http->guests && now + LOOK_NS < *until_ns)
		*until_ns = now + LOOK_NS;
}

static bool has_left(const struct visit *visit, const struct pollfd *fds)
{
	for (size_t i = 1; visit->guest && i < HTTP_POLLS; i++) {
		if (fds[i].fd == visit->guest->fd && fds[i].revents)
			return true;
	}
	return false;
}

static void finish_visits(struct http *http, const struct pollfd *fds, uint64_t now)
{
	for (struct visit *visit = http->visits; visit; visit = visit->next) {
		if (!visit->span)
			continue;
		visit->left = has_left(visit, fds);
		if (!visit->left && !spans_is_over(http->spans, visit->span, now))
			continue;
		if (!visit->left)
			visit->error =
				spans_write(http->spans, visit->span, &visit->data, &visit->bytes);
		spans_end(http->spans, visit->span);
		visit->span = NULL;
		if (visit->guest)
			visit->guest->until_ns = now + ANSWER_NS;
		MHD_resume_connection(visit->connection);
	}
}

/* A client that sends single bytes slowly counts as silent, too. */
static void end_slow_guests(struct http *http, uint64_t now)
{
	if (now < http->look_ns)
		return;
	http->look_ns = now + LOOK_NS;
	for (const struct guest *guest = http->guests; guest; guest = guest->next) {
		if (guest->until_ns && now >= guest->until_ns)
			(void)shutdown(guest->fd, SHUT_RDWR);
	}
}

void http_turn(struct http *http, const struct pollfd *fds, uint64_t now)
{
	finish_visits(http, fds, now);
	end_slow_guests(http, now);
	(void)MHD_run(http->daemon);
}
