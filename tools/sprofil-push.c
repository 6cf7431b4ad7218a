/* SPDX-License-Identifier: MIT */
/*
 * sprofil-push: sends pprof profiles to a store. It sends each profile by a POST. The default path
 * is /ingest, as in Pyroscope. The profiles come from sprofil-server over a pipe (serve_push.h).
 * While the store is unavailable, a limited number of profiles waits; the oldest are dropped, and
 * counted.
 *
 * Exit status 0: the store has taken all profiles. 1: a profile is missing there, or this program
 * could not begin. 2: it was not started by sprofrun or sprofserve.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/clock.h"
#include "base/command_line.h"
#include "base/standard.h"
#include "tools/sandbox/sandbox.h"
#include "tools/serve/push_queue.h"
#include "tools/serve/push_url.h"
#include "tools/serve/serve_fds.h"

/* Interval of retries: doubled after each failure, up to the maximum. */
#define RETRY_NS      CLOCK_SECOND_NS
#define RETRY_MOST_NS (60 * CLOCK_SECOND_NS)
enum { CONNECT_SECONDS = 10, SEND_SECONDS = 30, LAST_SECONDS = 5, ANSWER_BYTES = 160 };

struct sender {
	const char *program, *name;
	bool quiet, verbose;
	char *url; /* the store's address as the user gave it */
	CURL *curl;
	struct push_queue queue;
	uint64_t again_ns, wait_ns; /* when to try again; how long to wait if that fails */
	bool away;                  /* the store was unavailable at the last try */
	size_t refused;             /* profiles that the store refused */
	bool over;                  /* no more profiles will come */
	/* when this POST noticed that the pipe has ended (CLOCK_MONOTONIC); 0: not noticed yet */
	uint64_t left_ns;
	char answer[ANSWER_BYTES]; /* the store's text about a refusal */
	size_t answered;
};

static size_t take_answer(char *data, size_t size, size_t n, void *context)
{
	struct sender *s = context;
	size_t room = sizeof(s->answer) - 1 - s->answered, bytes = size * n;

	bytes = bytes < room ? bytes : room;
	memcpy(s->answer + s->answered, data, bytes);
	s->answered += bytes;
	s->answer[s->answered] = '\0';
	return size * n;
}

/*
 * Called by libcurl during a POST; non-zero ends the POST. After the pipe's end the supervisor
 * waits for this process, so a POST ends LAST_SECONDS after it has noticed the pipe's end.
 */
static int watch_end(
	void *context, curl_off_t to_come, curl_off_t came, curl_off_t to_go, curl_off_t gone)
{
	struct sender *s = context;
	struct pollfd fd = {.fd = SERVE_PUSH_FD};

	(void)to_come, (void)came, (void)to_go, (void)gone;
	if (!s->left_ns && poll(&fd, 1, 0) > 0 && fd.revents & POLLHUP)
		s->left_ns = clock_now();
	return s->left_ns && clock_now() - s->left_ns > LAST_SECONDS * CLOCK_SECOND_NS;
}

/*
 * Sends a profile. 0: the store has taken the profile, and @ret_why is ""; or the store refuses the
 * profile, and @ret_why is the reason. -EAGAIN: try later. Then @ret_why is the reason, or "" if
 * there is no memory.
 */
static int post(struct sender *s, const struct pushed *what, char *ret_why, size_t room)
{
	struct curl_slist *headers =
		curl_slist_append(NULL, "Content-Type: application/octet-stream");
	char *url = push_url(s->url, s->name, what->from, what->until);
	char error[CURL_ERROR_SIZE] = "";
	long status = 0;
	CURLcode r;

	ret_why[0] = '\0';
	if (!url || !headers) {
		free(url);
		curl_slist_free_all(headers);
		return -EAGAIN;
	}
	s->left_ns = 0;
	s->answered = 0;
	s->answer[0] = '\0';
	(void)curl_easy_setopt(s->curl, CURLOPT_URL, url);
	(void)curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, headers);
	(void)curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, (const char *)what->data);
	(void)curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)what->bytes);
	(void)curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, error);
	r = curl_easy_perform(s->curl);
	(void)curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, NULL);
	(void)curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	free(url);
	s->answer[strcspn(s->answer, "\r\n")] = '\0';
	if (r == CURLE_ABORTED_BY_CALLBACK)
		(void)snprintf(ret_why, room, "no answer within %d s", LAST_SECONDS);
	else if (r != CURLE_OK)
		(void)snprintf(ret_why, room, "%s", error[0] ? error : curl_easy_strerror(r));
	else if (status < 200 || status > 299)
		(void)snprintf(ret_why, room, "status %ld%s%s", status, s->answer[0] ? ": " : "",
			s->answer);
	if (r != CURLE_OK || status == 408 || status == 429 || status >= 500)
		return -EAGAIN;
	return 0;
}

/* Sends the oldest profile. False: the store is unavailable, and the profile still waits. */
static bool send_first(struct sender *s)
{
	const struct pushed *first = push_queue_first(&s->queue);
	char why[CURL_ERROR_SIZE + ANSWER_BYTES];

	if (post(s, first, why, sizeof(why)) < 0) {
		if (!s->away)
			standard_complain(s->program, "the store takes no profile (%s)%s", why,
				s->over ? "" : ": tried again");
		s->away = true;
		s->again_ns = clock_now() + s->wait_ns;
		s->wait_ns = s->wait_ns * 2 < RETRY_MOST_NS ? s->wait_ns * 2 : RETRY_MOST_NS;
		return false;
	}
	if (why[0]) {
		s->refused++;
		standard_complain(s->program, "the store refuses a profile: %s", why);
	}
	if (s->away && !s->quiet)
		standard_complain(s->program, "the store takes profiles again; %zu were given up",
			s->queue.lost);
	else if (s->verbose && !why[0])
		standard_complain(
			s->program, "a profile of %zu bytes is in the store", first->bytes);
	s->away = false;
	s->wait_ns = RETRY_NS;
	push_queue_drop(&s->queue);
	return true;
}

static void turn(struct sender *s)
{
	struct pollfd fd = {.fd = SERVE_PUSH_FD, .events = POLLIN};
	uint64_t now = clock_now();
	int ms = -1;

	if (push_queue_first(&s->queue))
		ms = s->again_ns > now ? (int)((s->again_ns - now) / 1000000 + 1) : 0;
	if (poll(&fd, 1, ms) < 0)
		return;
	if (fd.revents && !push_queue_read(&s->queue, SERVE_PUSH_FD))
		s->over = true;
	else if (push_queue_first(&s->queue) && clock_now() >= s->again_ns)
		(void)send_first(s);
}

/*
 * Sends the remaining profiles until one fails. That one is not tried again, because the supervisor
 * waits for this process to end.
 */
static void send_last(struct sender *s)
{
	while (push_queue_first(&s->queue) && send_first(s))
		;
}

static bool begin(struct sender *s)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	s->curl = curl_easy_init();
	if (!s->curl)
		return false;
	(void)curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(s->curl, CURLOPT_USERAGENT, "sprofil/" SPROFIL_VERSION);
	(void)curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	(void)curl_easy_setopt(s->curl, CURLOPT_TIMEOUT, (long)SEND_SECONDS);
	(void)curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_answer);
	(void)curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
	(void)curl_easy_setopt(s->curl, CURLOPT_XFERINFOFUNCTION, watch_end);
	(void)curl_easy_setopt(s->curl, CURLOPT_XFERINFODATA, s);
	(void)curl_easy_setopt(s->curl, CURLOPT_NOPROGRESS, 0L);
	(void)curl_easy_setopt(s->curl, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
	(void)curl_easy_setopt(s->curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	(void)curl_easy_setopt(
		s->curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	return true;
}

#define AT(member) .at = offsetof(struct sender, member)

static const struct option_row rows[] = {
	{"program", 0, OPTION_TEXT, AT(program)},
	{"name", 0, OPTION_TEXT, AT(name)},
	{"quiet", 0, OPTION_FLAG, AT(quiet)},
	{"verbose", 0, OPTION_FLAG, AT(verbose)},
};

int main(int argc, char **argv)
{
	struct sender s = {.program = "sprofserve", .name = "program", .wait_ns = RETRY_NS};
	int keep[] = {SERVE_PUSH_FD};
	const char *url = getenv("SPROFIL_PUSH_URL");
	struct sandbox sandbox;
	size_t lost;

	standard_hold();
	(void)signal(SIGPIPE, SIG_IGN);
	command_line_parse_own(&(struct option_set){OPTION_ROWS(rows), &s, 0}, argc, argv);
	s.url = url ? strdup(url) : NULL;
	if (!s.url || fcntl(SERVE_PUSH_FD, F_SETFL, O_NONBLOCK) < 0) {
		standard_complain(
			s.program, "sprofil-push is started by sprofrun --push, or sprofserve");
		return 2;
	}
	sandbox_close_others(keep, 1);
	sandbox_enter_connecting(&sandbox);
	if (s.verbose)
		standard_complain(s.program, "the sender's sandbox: %s", sandbox.holds);
	if (!begin(&s)) {
		standard_complain(s.program, "cannot begin to send profiles: out of memory");
		return 1;
	}
	while (!s.over)
		turn(&s);
	send_last(&s);
	lost = s.queue.n + s.queue.lost + (s.queue.head_bytes > 0);
	if (lost && !s.quiet)
		standard_complain(s.program, "%zu profile%s did not reach the store", lost,
			lost == 1 ? "" : "s");
	curl_easy_cleanup(s.curl);
	push_queue_release(&s.queue);
	free(s.url);
	return lost || s.refused;
}
