/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_http.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "tools/serve/serve_request.h"

/*
 * REQUEST_NS: time to receive a request; it begins with the connection, or with the end of the last
 * answer. ANSWER_NS: time to send an answer.
 */
#define REQUEST_NS (5 * CLOCK_SECOND_NS)
#define ANSWER_NS  (120 * CLOCK_SECOND_NS)
/* Interval of checks for connections whose time is over. */
#define LOOK_NS CLOCK_SECOND_NS
/* Pause before the next accept when no more connections can be accepted. */
#define CROWD_NS (CLOCK_SECOND_NS / 4)
enum { CONNECTIONS_MOST = 64, CONNECTION_BYTES = 16384, SILENCE_SECONDS = 5 };
/* Most accepts in one http_turn(). More would delay the answers to other clients. */
enum { ACCEPTS_MOST = 128 };

struct client {
	struct client *next;
	int fd;
	uint64_t until_ns; /* when the connection is closed; 0: it waits for a profile */
};

/* A request for a profile. */
struct http_request {
	struct http_request *next;
	struct MHD_Connection *connection;
	struct client *client;
	struct span *span; /* the requested span; NULL: none was begun, or it has ended */
	bool half_closed;  /* the client sends no more: it waits for its answer, or is gone */
	bool left;         /* the client is gone */
	int error;
	uint8_t *data; /* the answer */
	size_t bytes;
};

struct http {
	struct MHD_Daemon *daemon;
	struct spans *spans;
	const char *name;
	bool reachable;
	int listen_fd;      /* -1: no new connections */
	size_t connections; /* connections that the library has */
	uint64_t accept_ns; /* no connection is accepted before this time */
	struct client *clients;
	struct http_request *requests;
	uint64_t look_ns;
};

/*
 * Queues an answer. Takes ownership of @response; NULL: memory was short. Returns MHD_NO on
 * failure: the library then closes the connection.
 */
static enum MHD_Result answer_queue(struct MHD_Connection *connection, unsigned status,
	const char *type, struct MHD_Response *response)
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
	/* With this header, pprof prints the answer's text, which says what is wrong. */
	if (status != MHD_HTTP_OK)
		(void)MHD_add_response_header(response, "X-Go-Pprof", "1");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result answer_text(
	struct MHD_Connection *connection, unsigned status, const char *text)
{
	return answer_queue(connection, status, "text/plain; charset=utf-8",
		MHD_create_response_from_buffer(
			strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

/* Escapes for HTML: a program's name is that of a file, with any characters. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			(void)fprintf(out, "&#%d;", *text);
		else
			(void)fputc(*text, out);
	}
}

/* Answers with the page that links to the profile of the program @name (any characters). */
static enum MHD_Result answer_index(struct MHD_Connection *connection, const char *name)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return MHD_NO;
	(void)fputs("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>", out);
	put_escaped(out, name);
	(void)fputs(" /debug/pprof/</title></head><body><p>", out);
	put_escaped(out, name);
	(void)fprintf(out,
		" by sprofil</p><table><tr><td>"
		"<a href=\"/debug/pprof/profile?seconds=%d\">profile</a></td>"
		"<td>CPU profile of the seconds from now on, 1 to %d: "
		"<code>profile?seconds=N</code>, for <code>go tool pprof</code> or "
		"<code>sprofreport</code></td></tr></table></body></html>\n",
		REQUEST_SECONDS, REQUEST_SECONDS_MOST);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return answer_queue(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
		MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE));
}

static void end_wait(struct http *http, struct http_request *request, int error)
{
	request->error = error;
	spans_end(http->spans, request->span);
	request->span = NULL;
	if (request->client)
		request->client->until_ns = clock_now() + ANSWER_NS;
	MHD_resume_connection(request->connection);
}

/* Ends the oldest request (last in the list) whose client has half closed its connection. */
static void end_half_closed(struct http *http)
{
	struct http_request *oldest = NULL;

	for (struct http_request *request = http->requests; request; request = request->next) {
		if (request->span && request->half_closed)
			oldest = request;
	}
	if (oldest)
		end_wait(http, oldest, -EBUSY);
}

static const char too_many[] = "as many profiles as can be are being taken: try again later\n";

static enum MHD_Result begin_profile(
	struct http *http, struct MHD_Connection *connection, struct http_request *request)
{
	unsigned seconds;
	uint64_t now = clock_now();

	if (!request_seconds(
		    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds"),
		    &seconds))
		return answer_text(connection, MHD_HTTP_BAD_REQUEST,
			"seconds: give a whole number from 1 to 600\n");
	/*
	 * Two spans are reserved for --push. If all others are taken, a request whose client has
	 * half closed its connection loses its span to this request: the client may be gone.
	 */
	if (http->spans->n + 2 >= SPANS_MOST)
		end_half_closed(http);
	if (http->spans->n + 2 < SPANS_MOST)
		request->span = spans_begin(http->spans, now, now + seconds * CLOCK_SECOND_NS);
	if (!request->span)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, too_many);
	if (request->client)
		request->client->until_ns = 0;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static enum MHD_Result answer_profile(
	struct MHD_Connection *connection, struct http_request *request)
{
	uint8_t *data = request->data;

	if (request->left)
		return MHD_NO;
	if (request->error == -ENODATA)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"nothing was profiled: the program has ended\n");
	if (request->error == -EBUSY)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, too_many);
	if (request->error < 0)
		return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			"the profile could not be made: out of memory\n");
	request->data = NULL; /* owned by the response */
	return answer_queue(connection, MHD_HTTP_OK, "application/octet-stream",
		MHD_create_response_from_buffer(request->bytes, data, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result route(struct http *http, struct MHD_Connection *connection,
	struct http_request *request, const char *url, const char *method)
{
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (!http->reachable &&
		!request_host_is_loopback(
			MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
		return answer_text(connection, MHD_HTTP_FORBIDDEN,
			"this listens on the loopback alone: ask for localhost or 127.0.0.1\n");
	if (strcmp(url, "/debug/pprof/profile") == 0 && method[0] != 'G')
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/debug/pprof/profile") == 0)
		return begin_profile(http, connection, request);
	if (strcmp(url, "/debug/pprof/") == 0 || strcmp(url, "/debug/pprof") == 0 ||
		strcmp(url, "/") == 0)
		return answer_index(connection, http->name);
	return answer_text(connection, MHD_HTTP_NOT_FOUND,
		"there are /debug/pprof/ and "
		"/debug/pprof/profile?seconds=N\n");
}

/*
 * The library calls this when a request's head has come, again after its body, and again after each
 * MHD_resume_connection().
 */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *data, size_t *bytes,
	void **request_context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct http *http = context;
	struct http_request *request = *request_context;

	(void)version;
	(void)data;
	if (!request) {
		request = calloc(1, sizeof(*request));
		if (!request)
			return MHD_NO;
		request->connection = connection;
		request->client = info ? info->socket_context : NULL;
		request->next = http->requests;
		http->requests = request;
		*request_context = request;
		return MHD_YES;
	}
	if (*bytes) {
		*bytes = 0; /* bodies are ignored */
		return MHD_YES;
	}
	if (request->client)
		request->client->until_ns = clock_now() + ANSWER_NS;
	if (request->left || request->data || request->error)
		return answer_profile(connection, request);
	return route(http, connection, request, url, method);
}

static void completed(void *context, struct MHD_Connection *connection, void **request_context,
	enum MHD_RequestTerminationCode why)
{
	struct http *http = context;
	struct http_request *request = *request_context, **at;

	(void)connection;
	(void)why;
	if (!request)
		return;
	for (at = &http->requests; *at != request; at = &(*at)->next)
		;
	*at = request->next;
	if (request->span)
		spans_end(http->spans, request->span);
	if (request->client)
		request->client->until_ns = clock_now() + REQUEST_NS;
	free(request->data);
	free(request);
	*request_context = NULL;
}

static void noticed(void *context, struct MHD_Connection *connection, void **socket_context,
	enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct http *http = context;
	struct client *client = *socket_context, **at;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		client = info ? calloc(1, sizeof(*client)) : NULL;
		*socket_context = client;
		if (!client)
			return;
		*client =
			(struct client){http->clients, info->connect_fd, clock_now() + REQUEST_NS};
		http->clients = client;
		return;
	}
	http->connections--;
	if (!client)
		return;
	for (at = &http->clients; *at != client; at = &(*at)->next)
		;
	*at = client->next;
	free(client);
	*socket_context = NULL;
}

int http_begin(int listen_fd, bool reachable, struct spans *spans, const char *name,
	struct http **ret_http)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	*http = (struct http){
		.spans = spans, .name = name, .reachable = reachable, .listen_fd = listen_fd};
	/*
	 * This file accepts the connections, not the library. At its limit of connections the
	 * library would stop listening. It would start again in some later call to MHD_run(), but
	 * no descriptor and no timeout would tell when to call.
	 */
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
		answer, http, MHD_OPTION_NOTIFY_COMPLETED, completed, http,
		MHD_OPTION_NOTIFY_CONNECTION, noticed, http, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_SECONDS,
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
	if (http->listen_fd >= 0)
		(void)close(http->listen_fd);
	http->listen_fd = -1;
}

void http_end(struct http *http)
{
	for (struct http_request *request = http->requests; request; request = request->next) {
		if (request->span) {
			request->left = true;
			spans_end(http->spans, request->span);
			request->span = NULL;
			MHD_resume_connection(request->connection);
		}
	}
	(void)MHD_run(http->daemon);
	MHD_stop_daemon(http->daemon);
	http_quiesce(http);
	free(http);
}

size_t http_requests(const struct http *http)
{
	size_t n = 0;

	for (const struct http_request *request = http->requests; request; request = request->next)
		n++;
	return n;
}

void http_poll(struct http *http, struct pollfd *fds, uint64_t *until_ns)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t now = clock_now();
	size_t n = 2;

	fds[0] = (struct pollfd){.fd = info ? info->epoll_fd : -1, .events = POLLIN};
	fds[1] = (struct pollfd){
		.fd = now < http->accept_ns ? -1 : http->listen_fd, .events = POLLIN};
	if (now < http->accept_ns && http->accept_ns < *until_ns)
		*until_ns = http->accept_ns;
	/* The library does not notice that a client which waits for a profile goes away. */
	for (const struct http_request *request = http->requests; request;
		request = request->next) {
		if (request->span && request->client && n < HTTP_POLLS)
			fds[n++] = (struct pollfd){.fd = request->client->fd,
				.events = request->half_closed ? 0 : POLLRDHUP};
	}
	while (n < HTTP_POLLS)
		fds[n++] = (struct pollfd){.fd = -1};
	if (MHD_get_timeout(http->daemon, &ms) == MHD_YES && now + ms * 1000000 < *until_ns)
		*until_ns = now + ms * 1000000;
	if (http->clients && now + LOOK_NS < *until_ns)
		*until_ns = now + LOOK_NS;
}

static void notice_end(struct http_request *request, const struct pollfd *fds)
{
	for (size_t i = 2; request->client && i < HTTP_POLLS; i++) {
		if (fds[i].fd != request->client->fd)
			continue;
		request->half_closed |= (fds[i].revents & POLLRDHUP) != 0;
		request->left |= (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
	}
}

static void finish_requests(struct http *http, const struct pollfd *fds, uint64_t now)
{
	int error = 0;

	for (struct http_request *request = http->requests; request; request = request->next) {
		if (!request->span)
			continue;
		notice_end(request, fds);
		if (!request->left && !spans_is_over(http->spans, request->span, now))
			continue;
		if (!request->left)
			error = spans_write(
				http->spans, request->span, &request->data, &request->bytes);
		end_wait(http, request, error);
	}
}

/* Closes connections whose time is over, also those of clients that send single bytes slowly. */
static void end_slow_clients(struct http *http, uint64_t now)
{
	if (now < http->look_ns)
		return;
	http->look_ns = now + LOOK_NS;
	for (const struct client *client = http->clients; client; client = client->next) {
		if (client->until_ns && now >= client->until_ns)
			(void)shutdown(client->fd, SHUT_RDWR);
	}
}

/* Closes the idle connection whose time ends first. False: there is still no room. */
static bool make_room(struct http *http)
{
	const struct client *oldest = NULL;

	for (const struct client *client = http->clients; client; client = client->next) {
		bool busy = false;

		for (const struct http_request *request = http->requests; request;
			request = request->next)
			busy |= request->client == client;
		if (!busy && (!oldest || client->until_ns <= oldest->until_ns))
			oldest = client;
	}
	if (!oldest)
		return false;
	(void)shutdown(oldest->fd, SHUT_RDWR);
	(void)MHD_run(http->daemon);
	return http->connections < CONNECTIONS_MOST;
}

static void accept_connections(struct http *http, uint64_t now)
{
	for (int i = 0; i < ACCEPTS_MOST && http->listen_fd >= 0 && now >= http->accept_ns; i++) {
		struct sockaddr_storage address;
		socklen_t bytes = sizeof(address);
		int fd;

		if (http->connections >= CONNECTIONS_MOST && !make_room(http)) {
			http->accept_ns = now + CROWD_NS;
			return;
		}
		fd = accept4(http->listen_fd, (struct sockaddr *)&address, &bytes,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				http->accept_ns = now + CROWD_NS;
			return;
		}
		http->connections++;
		if (MHD_add_connection(http->daemon, fd, (struct sockaddr *)&address, bytes) !=
			MHD_YES)
			http->connections--; /* the library has closed @fd */
	}
}

void http_turn(struct http *http, const struct pollfd *fds, uint64_t now)
{
	finish_requests(http, fds, now);
	end_slow_clients(http, now);
	(void)MHD_run(http->daemon);
	if (fds[1].revents)
		accept_connections(http, now);
	(void)MHD_run(http->daemon);
}
