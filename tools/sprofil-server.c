/* SPDX-License-Identifier: MIT */
/*
 * sprofil-server: makes profiles of spans of time. It provides them over HTTP, and passes them to
 * sprofil-push. sprofrun and sprofserve start it (tools/front/serve_front.c) with the descriptors
 * of serve_fds.h. It enters the sandbox before it talks to anybody.
 *
 * When the supervisor and the analysts have ended, no more pieces come. The server then ends as
 * soon as the pending answers are finished, or after LAST_NS.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command_line.h"
#include "base/standard.h"
#include "proto/request.h"
#include "tools/sandbox/sandbox.h"
#include "tools/serve/serve_fds.h"
#include "tools/serve/serve_http.h"
#include "tools/serve/serve_pieces.h"
#include "tools/serve/serve_push.h"
#include "tools/serve/serve_spans.h"

/* A requested piece that has not come after this time is requested again. */
#define AGAIN_NS (10 * CLOCK_SECOND_NS)
/* Time for pending answers after the target's end. */
#define LAST_NS (5 * CLOCK_SECOND_NS)

struct server {
	const char *program, *name;
	bool listens, reachable, on_demand, verbose;
	uint64_t push_ns;
	struct spans spans;
	struct serve_pieces pieces;
	struct http *http; /* NULL: no HTTP */
	struct push push;
	bool thawed;       /* sampling is switched on in the supervisor */
	bool alone;        /* the supervisor is gone */
	uint64_t asked_ns; /* when the pending piece was requested; 0: none is pending */
	/* latest end of pending answers, once the target is gone; 0: the target is not gone */
	uint64_t last_ns;
};

enum {
	POLL_REQUEST,
	POLL_PIECES,
	POLL_HTTP = POLL_PIECES + 1 + SERVE_PIECES_MOST,
	POLL_PUSH = POLL_HTTP + HTTP_POLLS,
	POLLS
};

#define AT(member) .at = offsetof(struct server, member)

static const struct option_row rows[] = {
	{"program", 0, OPTION_TEXT, AT(program)},
	{"name", 0, OPTION_TEXT, AT(name)},
	{"listen", 0, OPTION_FLAG, AT(listens)},
	{"reachable", 0, OPTION_FLAG, AT(reachable)},
	{"push", 0, OPTION_NUMBER, AT(push_ns)},
	{"on-demand", 0, OPTION_FLAG, AT(on_demand)},
	{"verbose", 0, OPTION_FLAG, AT(verbose)},
};

static bool request(enum request_type type, uint64_t value)
{
	uint8_t message[REQUEST_BYTES];

	request_put(message, &(struct request){.type = type, .value = value});
	return write(SERVE_REQUEST_FD, message, sizeof(message)) == (ssize_t)sizeof(message);
}

/*
 * Sends the supervisor two kinds of requests: to switch sampling on or off, and, when a span has
 * ended, to have the analyst send a piece.
 */
static void keep_supervisor(struct server *s, uint64_t now)
{
	bool wanted = s->spans.n != 0;

	if (s->alone)
		return;
	if (s->on_demand && wanted != s->thawed && request(REQUEST_FREEZE, !wanted))
		s->thawed = wanted;
	if (s->asked_ns && (s->pieces.so_far_ns >= s->asked_ns || now >= s->asked_ns + AGAIN_NS))
		s->asked_ns = 0;
	if (!s->asked_ns && spans_want_piece(&s->spans, now) && request(REQUEST_SERVE, 0))
		s->asked_ns = now;
}

static int timeout_ms(struct server *s, struct pollfd *fds, uint64_t now)
{
	uint64_t until = spans_next(&s->spans, now), next = push_next(&s->push, now);

	for (size_t i = 0; i < POLLS; i++)
		fds[i] = (struct pollfd){.fd = -1};
	fds[POLL_REQUEST].fd = s->alone ? -1 : SERVE_REQUEST_FD;
	serve_pieces_poll(&s->pieces, fds + POLL_PIECES);
	push_poll(&s->push, &fds[POLL_PUSH]);
	if (s->http)
		http_poll(s->http, fds + POLL_HTTP, &until);
	until = next < until ? next : until;
	if (s->last_ns && s->last_ns < until)
		until = s->last_ns;
	if (s->asked_ns && s->asked_ns + AGAIN_NS < until)
		until = s->asked_ns + AGAIN_NS;
	if (until == UINT64_MAX)
		return -1;
	/* Rounds up: if poll() returned before @until, there would be nothing to do. */
	return until <= now ? 0 : (int)((until - now + 999999) / 1000000);
}

static bool is_over(const struct server *s, uint64_t now)
{
	if (!s->spans.closed)
		return false;
	return now >= s->last_ns ||
		(!(s->http && http_requests(s->http)) && push_is_idle(&s->push));
}

static void turn(struct server *s)
{
	struct pollfd fds[POLLS];
	uint64_t now = clock_now();

	if (poll(fds, POLLS, timeout_ms(s, fds, now)) < 0)
		return;
	now = clock_now();
	/* The pipe has lost its reader: the supervisor is gone. Pieces may still come. */
	if (fds[POLL_REQUEST].revents && !s->alone) {
		s->alone = true;
		if (s->http)
			http_quiesce(s->http);
	}
	serve_pieces_turn(&s->pieces, fds + POLL_PIECES);
	if (s->pieces.problem)
		standard_complain(s->program, "%s", s->pieces.problem);
	s->pieces.problem = NULL;
	push_turn(&s->push, &fds[POLL_PUSH], now);
	if (s->http)
		http_turn(s->http, fds + POLL_HTTP, now);
	keep_supervisor(s, now);
	if (s->spans.closed && !s->last_ns)
		s->last_ns = now + LAST_NS;
}

static void give_up_rights(const struct server *s)
{
	int keep[] = {SERVE_REQUEST_FD, SERVE_PIECES_FD, s->listens ? SERVE_LISTEN_FD : -1,
		s->push_ns ? SERVE_PUSH_FD : -1};
	struct sandbox sandbox;

	tzset();
	sandbox_close_others(keep, sizeof(keep) / sizeof(*keep));
	sandbox_enter_serving(&sandbox);
	if (s->verbose)
		standard_complain(s->program, "the server's sandbox: %s", sandbox.holds);
	if (s->verbose && sandbox.lacks[0])
		standard_complain(s->program, "the server's sandbox lacks: %s", sandbox.lacks);
}

int main(int argc, char **argv)
{
	struct server s = {.program = "sprofserve", .name = "program"};
	int r = 0;

	standard_hold();
	(void)signal(SIGPIPE, SIG_IGN);
	command_line_parse_own(&(struct option_set){OPTION_ROWS(rows), &s, 0}, argc, argv);
	if (fcntl(SERVE_REQUEST_FD, F_SETFL, O_NONBLOCK) < 0) {
		standard_complain(
			s.program, "sprofil-server is started by sprofrun --listen, or sprofserve");
		return 2;
	}
	give_up_rights(&s);
	spans_init(&s.spans, s.name);
	serve_pieces_init(&s.pieces, SERVE_PIECES_FD, &s.spans);
	push_init(&s.push, s.push_ns ? SERVE_PUSH_FD : -1, s.push_ns, &s.spans);
	if (s.listens)
		r = http_begin(SERVE_LISTEN_FD, s.reachable, &s.spans, s.name, &s.http);
	if (r < 0)
		standard_complain(s.program, "cannot serve: %s",
			r == -ENOTSUP ? "built without libmicrohttpd (Debian: libmicrohttpd-dev)"
				      : strerror(-r));
	while (r == 0 && !is_over(&s, clock_now()))
		turn(&s);
	if (r == 0 && !push_is_idle(&s.push)) {
		standard_complain(s.program,
			"the sender was too slow: the last profiles did not reach the store");
		r = -ETIMEDOUT;
	}
	if (s.http)
		http_end(s.http);
	push_release(&s.push);
	serve_pieces_release(&s.pieces);
	spans_release(&s.spans);
	return r < 0;
}
