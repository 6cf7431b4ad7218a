/* SPDX-License-Identifier: MIT */
/*
 * The server: HTTP over the loopback, pieces from analysts, profiles for a store. Tests set the
 * time instead of waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "profile/pprof.h"
#include "proto/piece.h"
#include "tests/unit/timeline_fixture.h"
#include "tools/serve/piece_send.h"
#include "tools/serve/serve_http.h"
#include "tools/serve/serve_pieces.h"
#include "tools/serve/serve_push.h"
#include "tools/serve/serve_spans.h"

#define SECOND UINT64_C(1000000000)

struct server {
	struct spans spans;
	struct serve_pieces pieces;
	struct http *http;
	int port, analyst_fd;
	uint64_t ahead_ns; /* the server's time is ahead of the clock */
};

static void serve_at(struct server *s, bool reachable)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), pair[2];

	*s = (struct server){0};
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, bytes), 0);
	assert_int_equal(listen(fd, 64), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
	s->port = ntohs(address.sin_port);
	spans_init(&s->spans, "phases");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	serve_pieces_init(&s->pieces, pair[0], &s->spans);
	s->analyst_fd = pair[1];
	assert_int_equal(http_begin(fd, reachable, &s->spans, "ph<a>ses", &s->http), 0);
}

static void serve(struct server *s)
{
	serve_at(s, false);
}

static void end(struct server *s)
{
	http_end(s->http);
	serve_pieces_release(&s->pieces);
	spans_release(&s->spans);
	if (s->analyst_fd >= 0)
		(void)close(s->analyst_fd);
}

/* Handles what has arrived. Waits 1 ms for data that the kernel is delivering. */
static void turn(struct server *s)
{
	struct pollfd fds[HTTP_POLLS + 1 + SERVE_PIECES_MOST];
	uint64_t until = UINT64_MAX;

	http_poll(s->http, fds, &until);
	serve_pieces_poll(&s->pieces, fds + HTTP_POLLS);
	assert_true(poll(fds, HTTP_POLLS + 1 + SERVE_PIECES_MOST, 1) >= 0);
	serve_pieces_turn(&s->pieces, fds + HTTP_POLLS);
	http_turn(s->http, fds, clock_now() + s->ahead_ns);
}

static int client(const struct server *s, const char *request)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)s->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	return fd;
}

/* The answer up to the end of the connection, of *@ret_bytes bytes. */
static char *answer(struct server *s, int fd, size_t *ret_bytes)
{
	char *text = calloc(1, 1 << 20);
	size_t n = 0;
	ssize_t got = -1;

	assert_non_null(text);
	while (got) {
		turn(s);
		got = recv(fd, text + n, (1 << 20) - 1 - n, MSG_DONTWAIT);
		if (got < 0 && errno == ECONNRESET)
			break;
		assert_true(got >= 0 || errno == EAGAIN);
		n += got > 0 ? (size_t)got : 0;
	}
	(void)close(fd);
	*ret_bytes = n;
	return text;
}

static void expect(struct server *s, const char *request, const char *status, const char *part)
{
	size_t n;
	char *text = answer(s, client(s, request), &n);

	if (strncmp(text, status, strlen(status)) != 0 || !strstr(text, part))
		fail_msg("%s: %s", request, text);
	free(text);
}

#define HEAD "HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n"

static void test_http__what_is_answered_at_once(void **state)
{
	struct server s;

	(void)state;
	serve(&s);
	expect(&s, "GET / " HEAD, "HTTP/1.1 200", "ph&#60;a&#62;ses by sprofil");
	expect(&s, "GET /debug/pprof " HEAD, "HTTP/1.1 200", "nosniff");
	expect(&s, "HEAD /debug/pprof/ " HEAD, "HTTP/1.1 200", "text/html");
	expect(&s, "GET /other " HEAD, "HTTP/1.1 404", "/debug/pprof/profile?seconds=N");
	expect(&s, "POST / " HEAD, "HTTP/1.1 405", "Allow: GET, HEAD");
	expect(&s, "HEAD /debug/pprof/profile " HEAD, "HTTP/1.1 405", "Allow");
	expect(&s, "GET /debug/pprof/profile?seconds=0 " HEAD, "HTTP/1.1 400", "from 1 to 600");
	expect(&s, "GET / HTTP/1.1\r\nConnection: close\r\nHost: evil.example\r\n\r\n",
		"HTTP/1.1 403", "loopback alone");
	expect(&s,
		"GET / HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n"
		"Content-Length: 4\r\n\r\nbody",
		"HTTP/1.1 200", "by sprofil");
	expect(&s, "nonsense\r\n\r\n", "", "");
	end(&s);
	serve_at(&s, true);
	expect(&s, "GET / HTTP/1.1\r\nConnection: close\r\nHost: good.example\r\n\r\n",
		"HTTP/1.1 200", "by sprofil");
	end(&s);
}

/* Turns until @n requests for a profile have begun. */
static void await_visits(struct server *s, size_t n)
{
	while (s->spans.n < n)
		turn(s);
}

static void give_piece(struct server *s, enum piece_kind kind, uint64_t began_ns, uint64_t until_ns)
{
	const struct piece piece = {
		.kind = kind, .segment = 1, .began_ns = began_ns, .until_ns = until_ns};
	struct profile *profile = fixture_timeline();

	assert_int_equal(piece_send(s->analyst_fd, &piece, profile), 0);
	profile_free(profile);
}

static void test_http__a_profile_is_what_the_analyst_sends(void **state)
{
	uint64_t began = clock_now() - SECOND;
	struct profile *profile;
	struct server s;
	char *text, *body;
	size_t n;
	int fd;

	(void)state;
	serve(&s);
	fd = client(&s, "GET /debug/pprof/profile?seconds=1 " HEAD);
	await_visits(&s, 1);
	assert_int_equal(http_requests(s.http), 1);
	s.ahead_ns = 2 * SECOND;
	turn(&s);
	assert_true(spans_want_piece(&s.spans, clock_now() + s.ahead_ns));
	give_piece(&s, PIECE_SO_FAR, began, clock_now() + 3 * SECOND);
	text = answer(&s, fd, &n);
	assert_int_equal(strncmp(text, "HTTP/1.1 200", 12), 0);
	assert_non_null(strstr(text, "attachment"));
	body = strstr(text, "\r\n\r\n") + 4;
	assert_int_equal(pprof_read((uint8_t *)body, n - (size_t)(body - text), &profile, NULL), 0);
	assert_string_equal(profile_command(profile), "phases");
	profile_free(profile);
	free(text);
	assert_int_equal(s.spans.n, 0);
	assert_null(s.pieces.problem);
	end(&s);
}

static void test_http__nothing_more_can_come(void **state)
{
	struct server s;
	char *text;
	size_t n;
	int fd;

	(void)state;
	serve(&s);
	fd = client(&s, "GET /debug/pprof/profile?seconds=600 " HEAD);
	await_visits(&s, 1);
	(void)close(s.analyst_fd);
	s.analyst_fd = -1;
	text = answer(&s, fd, &n);
	assert_int_equal(strncmp(text, "HTTP/1.1 503", 12), 0);
	assert_non_null(strstr(text, "the program has ended"));
	free(text);
	/* When the server ends, waiting clients are disconnected. */
	end(&s);
	serve(&s);
	fd = client(&s, "GET /debug/pprof/profile " HEAD);
	await_visits(&s, 1);
	http_quiesce(s.http);
	end(&s);
	assert_int_equal(read(fd, &n, 1), 0);
	(void)close(fd);
}

/*
 * As many clients as possible wait. One that has shut down its half of the connection makes room
 * for another; one that has closed it is noticed.
 */
static void test_http__a_crowd(void **state)
{
	enum { ALL = SPANS_MOST - 2 };
	static const char request[] = "GET /debug/pprof/profile?seconds=9 " HEAD;
	int fd[ALL], one_more;
	struct server s;
	char *text;
	size_t n;

	(void)state;
	serve(&s);
	for (size_t i = 0; i < ALL; i++) {
		fd[i] = client(&s, request);
		await_visits(&s, i + 1);
	}
	expect(&s, request, "HTTP/1.1 503", "as many profiles as can be");
	assert_int_equal(shutdown(fd[0], SHUT_WR), 0);
	turn(&s);
	turn(&s);
	one_more = client(&s, request);
	text = answer(&s, fd[0], &n);
	assert_int_equal(strncmp(text, "HTTP/1.1 503", 12), 0);
	free(text);
	await_visits(&s, ALL);
	for (size_t i = 1; i < ALL; i++) {
		const struct linger reset = {1, 0};

		assert_int_equal(
			setsockopt(fd[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
		(void)close(fd[i]);
	}
	while (s.spans.n > 1)
		turn(&s);
	(void)close(one_more);
	end(&s);
}

/* There are more silent connections than there is room for: the oldest are closed. */
static void test_http__silent_connections(void **state)
{
	enum { MANY = 70 };
	struct server s;
	int fd[MANY];
	char byte;

	(void)state;
	serve(&s);
	for (size_t i = 0; i < MANY; i++) {
		fd[i] = client(&s, "");
		turn(&s);
	}
	expect(&s, "GET / " HEAD, "HTTP/1.1 200", "by sprofil");
	/* Silent for longer than a request may take: closed. */
	s.ahead_ns = 60 * SECOND;
	turn(&s);
	turn(&s);
	for (size_t i = 0; i < MANY; i++) {
		assert_true(recv(fd[i], &byte, 1, 0) <= 0);
		(void)close(fd[i]);
	}
	end(&s);
}

/* Messages that are no pieces are reported, and the server goes on. */
static void test_pieces__of_a_hostile_analyst(void **state)
{
	struct pollfd fds[1 + SERVE_PIECES_MOST];
	const struct piece piece = {.kind = PIECE_WHOLE, .segment = 1, .until_ns = UINT64_MAX - 1};
	struct serve_pieces pieces;
	struct spans spans;
	int pair[2], ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	spans_init(&spans, "phases");
	serve_pieces_init(&pieces, pair[0], &spans);
#define PIECES_TURN()                                                    \
	do {                                                             \
		serve_pieces_poll(&pieces, fds);                         \
		assert_true(poll(fds, 1 + SERVE_PIECES_MOST, 100) >= 0); \
		serve_pieces_turn(&pieces, fds);                         \
	} while (0)
	assert_int_equal(write(pair[1], "junk", 4), 4);
	PIECES_TURN();
	assert_string_equal(pieces.problem, "an analyst has sent something that is no piece");
	/* No span needs this piece, so it is not read. */
	pieces.problem = NULL;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	{
		struct profile *profile = fixture_timeline();

		/* The reader closes the pipe at once: the writer gets an error. */
		(void)signal(SIGPIPE, SIG_IGN);
		(void)piece_send(pair[1], &piece, profile);
		PIECES_TURN();
		assert_null(pieces.problem);
		assert_int_equal(pieces.so_far_ns, piece.until_ns);
		profile_free(profile);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	(void)close(pair[1]);
	PIECES_TURN();
	assert_int_equal(pieces.fd, -1);
	assert_true(spans.closed);
	serve_pieces_release(&pieces);
	spans_release(&spans);
}

static void give(struct spans *spans, uint64_t began, uint64_t until)
{
	const struct piece piece = {
		.kind = PIECE_SO_FAR, .segment = 1, .began_ns = began, .until_ns = until};
	struct profile *profile = fixture_timeline();

	if (spans_announced(spans, &piece))
		assert_int_equal(spans_take(spans, &piece, profile), 0);
	profile_free(profile);
}

static void push_once(struct push *push, uint64_t now)
{
	struct pollfd fd;

	push_poll(push, &fd);
	if (fd.fd >= 0)
		assert_true(poll(&fd, 1, 0) >= 0);
	else
		fd.revents = 0;
	push_turn(push, &fd, now);
}

static void test_push__a_span_after_the_other(void **state)
{
	uint64_t now = clock_now(), bytes;
	uint8_t head[PUSH_HEAD_BYTES], *data;
	struct profile *profile;
	struct spans spans;
	struct push push;
	int ends[2];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	spans_init(&spans, "phases");
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	push_init(&push, ends[1], SECOND, &spans);
	assert_int_equal(push_next(&push, now), now);
	push_once(&push, now);
	assert_int_equal(spans.n, 1);
	assert_int_equal(push_next(&push, now), now + SECOND);
	assert_false(push_is_idle(&push));
	/* The first span is over, but lacks its piece; the second one has begun. */
	push_once(&push, now + SECOND);
	assert_int_equal(spans.n, 2);
	assert_int_equal(push_next(&push, now + SECOND), UINT64_MAX);
	give(&spans, now - SECOND / 2, now + 3 * SECOND / 2);
	push_once(&push, now + SECOND);
	push_once(&push, now + SECOND);
	assert_int_equal(read(ends[0], head, sizeof(head)), sizeof(head));
	memcpy(&bytes, head + 16, 8);
	assert_true(bytes > 100 && bytes < 65536);
	data = malloc(bytes);
	assert_non_null(data);
	assert_int_equal(read(ends[0], data, bytes), bytes);
	assert_int_equal(pprof_read(data, bytes, &profile, NULL), 0);
	assert_string_equal(profile_command(profile), "phases");
	profile_free(profile);
	free(data);
	/* The profiled program has ended: nothing is due any more. */
	spans_close(&spans);
	assert_int_equal(push_next(&push, now + SECOND), UINT64_MAX);
	push_once(&push, now + SECOND);
	push_once(&push, now + SECOND);
	/* The receiver has closed its pipe: the queue is dropped. */
	(void)close(ends[0]);
	push_once(&push, now + SECOND);
	push_once(&push, now + SECOND);
	assert_int_equal(push.fd, -1);
	assert_true(push_is_idle(&push));
	push_once(&push, now + SECOND);
	push_release(&push);
	spans_release(&spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_http__what_is_answered_at_once),
		cmocka_unit_test(test_http__a_profile_is_what_the_analyst_sends),
		cmocka_unit_test(test_http__nothing_more_can_come),
		cmocka_unit_test(test_http__a_crowd),
		cmocka_unit_test(test_http__silent_connections),
		cmocka_unit_test(test_pieces__of_a_hostile_analyst),
		cmocka_unit_test(test_push__a_span_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
