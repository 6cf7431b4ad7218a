/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "tools/serve/serve_answer.h"
#include "tools/serve/serve_request.h"
#include "tools/serve/serve_socket.h"

/* Maximum time of a request, from the connection or the last answer on; and of an answer. */
#define REQUEST_NS (5 * CLOCK_SECOND_NS)
#define ANSWER_NS  (120 * CLOCK_SECOND_NS)
#define LOOK_NS    CLOCK_SECOND_NS
/* Time until connections are accepted again, when no more can be. */
#define CROWD_NS   (CLOCK_SECOND_NS / 4)
enum { CONNECTIONS_MOST = 64, CONNECTION_BYTES = 16384, SILENCE_SECONDS = 5 };
/* Connections accepted per round: answers that wait are not delayed by a crowd. */
enum { ACCEPTS_MOST = 128 };

/* A connection. */
struct guest {
	struct guest *next;
	int fd;
	uint64_t until_ns; /* when it is closed; 0: it waits for a profile */
};

/* A request for a profile. */
struct visit {
	struct visit *next;
	struct MHD_Connection *connection;
	struct guest *guest;
	struct span *span; /* the span it waits for; NULL: not yet, or over */
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
	bool loopback;
	int listen_fd;      /* -1: no new connections */
	size_t connections; /* number of connections that the library has */
	uint64_t accept_ns; /* no connection is accepted before this time */
	struct guest *guests;
	struct visit *visits;
	uint64_t look_ns;
};

static void end_wait(struct http *http, struct visit *visit, int error)
{
	visit->error = error;
	spans_end(http->spans, visit->span);
	visit->span = NULL;
	if (visit->guest)
		visit->guest->until_ns = clock_now() + ANSWER_NS;
	MHD_resume_connection(visit->connection);
}

/*
 * Ends a request that its client has half closed: the one that has waited longest, the last of the
 * list.
 */
static void end_half_closed(struct http *http)
{
	struct visit *oldest = NULL;

	for (struct visit *visit = http->visits; visit; visit = visit->next) {
		if (visit->span && visit->half_closed)
			oldest = visit;
	}
	if (oldest)
		end_wait(http, oldest, -EBUSY);
}

static const char too_many[] = "as many profiles as can be are being taken: try again later\n";

static enum MHD_Result begin_profile(
	struct http *http, struct MHD_Connection *connection, struct visit *visit)
{
	unsigned seconds;
	uint64_t now = clock_now();

	if (!request_seconds(
		    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds"),
		    &seconds))
		return answer_text(connection, MHD_HTTP_BAD_REQUEST,
			"seconds: give a whole number from 1 to 600\n");
	/* Two spans are reserved for --push. A client that is gone may look like one that waits. */
	if (http->spans->n + 2 >= SPANS_MOST)
		end_half_closed(http);
	if (http->spans->n + 2 < SPANS_MOST)
		visit->span = spans_begin(http->spans, now, now + seconds * CLOCK_SECOND_NS);
	if (!visit->span)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, too_many);
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
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			"nothing was profiled: the program has ended\n");
	if (visit->error == -EBUSY)
		return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, too_many);
	if (visit->error < 0)
		return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			"the profile could not be made: out of memory\n");
	visit->data = NULL; /* now owned by the response */
	return answer_queue(connection, MHD_HTTP_OK, "application/octet-stream",
		MHD_create_response_from_buffer(visit->bytes, data, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result route(struct http *http, struct MHD_Connection *connection,
	struct visit *visit, const char *url, const char *method)
{
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (http->loopback &&
		!request_host_is_loopback(
			MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
		return answer_text(connection, MHD_HTTP_FORBIDDEN,
			"this listens on the loopback alone: ask for localhost or 127.0.0.1\n");
	if (strcmp(url, "/debug/pprof/profile") == 0 && method[0] != 'G')
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/debug/pprof/profile") == 0)
		return begin_profile(http, connection, visit);
	if (strcmp(url, "/debug/pprof/") == 0 || strcmp(url, "/debug/pprof") == 0 ||
		strcmp(url, "/") == 0)
		return answer_index(connection, http->name);
	return answer_text(connection, MHD_HTTP_NOT_FOUND,
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
		*bytes = 0; /* Bodies are ignored. */
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
	http->connections--;
	if (!guest)
		return;
	for (at = &http->guests; *at != guest; at = &(*at)->next)
		;
	*at = guest->next;
	free(guest);
	*socket_context = NULL;
}

int http_begin(int listen_fd, struct spans *spans, const char *name, struct http **ret_http)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	*http = (struct http){.spans = spans,
		.name = name,
		.loopback = socket_is_loopback(listen_fd),
		.listen_fd = listen_fd};
	socket_begin_listening(listen_fd);
	/*
	 * Accepts connections here, not in the library, which at its limit stops to listen, and
	 * begins again in a call that nothing announces.
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
	http_quiesce(http);
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
	size_t n = 2;

	fds[0] = (struct pollfd){.fd = info ? info->epoll_fd : -1, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = now < http->accept_ns ? -1 : http->listen_fd,
		.events = POLLIN};
	if (now < http->accept_ns && http->accept_ns < *until_ns)
		*until_ns = http->accept_ns;
	/* The library does not watch connections that wait for a profile. */
	for (const struct visit *visit = http->visits; visit; visit = visit->next) {
		if (visit->span && visit->guest && n < HTTP_POLLS)
			fds[n++] = (struct pollfd){.fd = visit->guest->fd,
				.events = visit->half_closed ? 0 : POLLRDHUP};
	}
	while (n < HTTP_POLLS)
		fds[n++] = (struct pollfd){.fd = -1};
	if (MHD_get_timeout(http->daemon, &ms) == MHD_YES && now + ms * 1000000 < *until_ns)
		*until_ns = now + ms * 1000000;
	if (http->guests && now + LOOK_NS < *until_ns)
		*until_ns = now + LOOK_NS;
}

static void notice_end(struct visit *visit, const struct pollfd *fds)
{
	for (size_t i = 2; visit->guest && i < HTTP_POLLS; i++) {
		if (fds[i].fd != visit->guest->fd)
			continue;
		visit->half_closed |= (fds[i].revents & POLLRDHUP) != 0;
		visit->left |= (fds[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
	}
}

static void finish_visits(struct http *http, const struct pollfd *fds, uint64_t now)
{
	int error = 0;

	for (struct visit *visit = http->visits; visit; visit = visit->next) {
		if (!visit->span)
			continue;
		notice_end(visit, fds);
		if (!visit->left && !spans_is_over(http->spans, visit->span, now))
			continue;
		if (!visit->left)
			error = spans_write(http->spans, visit->span, &visit->data, &visit->bytes);
		end_wait(http, visit, error);
	}
}

/*
 * Closes connections that are silent for too long. A client that sends single bytes slowly counts
 * as silent, too.
 */
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

/*
 * Makes room by closing the connection that has been silent for longest; false: all are being
 * answered.
 */
static bool make_room(struct http *http)
{
	const struct guest *oldest = NULL;

	for (const struct guest *guest = http->guests; guest; guest = guest->next) {
		bool busy = false;

		for (const struct visit *visit = http->visits; visit; visit = visit->next)
			busy |= visit->guest == guest;
		if (!busy && (!oldest || guest->until_ns <= oldest->until_ns))
			oldest = guest;
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
			http->connections--; /* The library has closed it. */
	}
}

void http_turn(struct http *http, const struct pollfd *fds, uint64_t now)
{
	finish_visits(http, fds, now);
	end_slow_guests(http, now);
	(void)MHD_run(http->daemon);
	if (fds[1].revents)
		accept_connections(http, now);
	(void)MHD_run(http->daemon);
}
