/* SPDX-License-Identifier: MIT */
/* The dialogue with the supervisor, according to proto/call.h. */
#include "client/client.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_REGIONS CLIENT_ENTRIES
#define SPIN_NS         60000 /* CPU time of busy waiting for an answer */
#define ANSWER_MS       10000 /* a supervisor that does not answer for this long is stuck */
#define LOOKS           100   /* if poll() is refused: number of attempts to read, 1 ms apart */

uint64_t client_now_ms(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int client_poll(struct pollfd *fds, unsigned n, uint64_t until_ms)
{
	int r;

	do {
		uint64_t now = client_now_ms();

		r = poll(fds, n, now < until_ms ? (int)(until_ms - now) : 0);
	} while (r < 0 && errno == EINTR);
	return r;
}

/*
 * Writes one message. All signals are blocked. If the supervisor has just died, the write raises
 * SIGPIPE, which is consumed here. If @pending, the program had a SIGPIPE pending, and it stays.
 */
static int send_message(int fd, const uint8_t *data, size_t bytes, bool pending)
{
	uint64_t until = client_now_ms() + ANSWER_MS;

	for (;;) {
		struct pollfd room = {.fd = fd, .events = POLLOUT};
		ssize_t n = write(fd, data, bytes);
		int ready;

		if (n == (ssize_t)bytes)
			return 0;
		if (n >= 0)
			return -EPIPE; /* Impossible: a request is written whole or not at all. */
		if (errno == EPIPE && !pending) {
			struct timespec none = {0, 0};
			sigset_t sigpipe;

			(void)sigemptyset(&sigpipe);
			(void)sigaddset(&sigpipe, SIGPIPE);
			(void)sigtimedwait(&sigpipe, NULL, &none);
			return -EPIPE;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -EPIPE;
		ready = client_poll(&room, 1, until);
		if (ready == 0)
			return -ETIMEDOUT;
		if (ready < 0)
			return -EPERM; /* A seccomp filter forbids poll(). */
	}
}

static int send_table(int fd, const struct client_pipe *pipe, const struct client_call *call,
	struct call_request *q, bool pending)
{
	uint8_t message[CALL_HEADER_BYTES + MESSAGE_REGIONS * CALL_REGION_BYTES];
	struct call_region regions[MESSAGE_REGIONS];
	struct client_entries entries = {.count = 0};
	int r;

	do {
		q->count = 0;
		while (q->count < MESSAGE_REGIONS && q->first + q->count < q->total) {
			uint32_t i = q->first + q->count;

			r = client_region(call, pipe, &entries, i, &regions[q->count]);
			if (r < 0)
				return r;
			q->count++;
		}
		r = call_put_request(message, sizeof(message), q, regions);
		if (r > 0)
			r = send_message(fd, message, (size_t)r, pending);
		q->first += q->count;
	} while (r == 0 && q->first < q->total);
	return r;
}

/*
 * Reads the answer to @q, recognized by its nonce. Other bytes may come first: the late answer to
 * an earlier request whose pipe had the same descriptor, or what another process wrote. Answers and
 * statuses have a multiple of 8 bytes, so other bytes are skipped in steps of 8. False: the answer
 * has not come.
 */
static bool take_answer(int answer_fd, const struct call_request *q, struct client_reply *ret_reply)
{
	uint8_t data[CALL_ANSWER_BYTES], status[CALL_STATUS_BYTES];
	const size_t kept = sizeof(data) - 8;
	struct call_answer answer;
	ssize_t n = read(answer_fd, data, sizeof(data));

	while (n == (ssize_t)sizeof(data) &&
		(call_get_answer(data, sizeof(data), &answer) < 0 || answer.nonce != q->nonce)) {
		memmove(data, data + 8, kept);
		/* An answer is written whole: this read() fails only if no answer has come. */
		n = (ssize_t)kept + read(answer_fd, data + kept, 8);
	}
	if (n != (ssize_t)sizeof(data))
		return false;
	ret_reply->answer = answer;
	/* Answer and status are written together: if a status comes, it can be read now. */
	ret_reply->has_status = q->total == 0 &&
		read(answer_fd, status, sizeof(status)) == (ssize_t)sizeof(status) &&
		call_get_status(status, sizeof(status), &ret_reply->status) == 0;
	return true;
}

/*
 * Returns this thread's CPU time in ns, or UINT64_MAX. The call also makes the kernel update the
 * CPU time in /proc, which the supervisor reads.
 */
static uint64_t used_ns(void)
{
	struct timespec used;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) < 0)
		return UINT64_MAX;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/*
 * Called if a seccomp filter refuses poll(). If nanosleep() is refused, too, there are no pauses.
 * -EPERM: no answer was seen, but the table may be in force.
 */
static int look_for_answer(
	int answer_fd, const struct call_request *q, struct client_reply *ret_reply)
{
	const struct timespec pause = {0, 1000000};

	for (unsigned i = 0; i < LOOKS; i++) {
		(void)nanosleep(&pause, NULL);
		if (take_answer(answer_fd, q, ret_reply))
			return -ret_reply->answer.error;
	}
	return -EPERM;
}

static int await_answer(
	int request_fd, int answer_fd, const struct call_request *q, struct client_reply *ret_reply)
{
	uint64_t until = used_ns() + SPIN_NS, until_ms;

	/* First waits busily: the answer usually comes sooner than a sleep and a wake-up take. */
	do {
		if (take_answer(answer_fd, q, ret_reply))
			return -ret_reply->answer.error;
		(void)sched_yield(); /* Lets the supervisor run, if it shares this CPU. */
	} while (used_ns() < until);
	until_ms = client_now_ms() + ANSWER_MS;
	for (;;) {
		/* poll() reports an error on the request pipe when its reader is gone. */
		struct pollfd fds[2] = {{.fd = answer_fd, .events = POLLIN}, {.fd = request_fd}};
		int n = client_poll(fds, 2, until_ms);

		if (n == 0)
			return -ETIMEDOUT;
		if (n < 0) /* A seccomp filter forbids poll(). */
			return look_for_answer(answer_fd, q, ret_reply);
		if (fds[0].revents & POLLIN) {
			if (take_answer(answer_fd, q, ret_reply))
				return -ret_reply->answer.error;
		} else if (fds[1].revents) {
			return -EPIPE;
		}
	}
}

/* client_converse(), with the pipe @answers for the answer. */
static int converse(int request_fd, const struct client_pipe *pipe,
	const struct client_pipe *answers, const struct client_call *call, bool off,
	struct client_reply *ret_reply)
{
	_Alignas(8) uint8_t seal[CALL_SEAL_BYTES];
	struct call_request q = {
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.answer = answers->write_fd,
		.seal = (uint64_t)(uintptr_t)seal,
		.total = off ? 0 : call->count,
		.dialect = (uint8_t)call->dialect,
		.element = (uint8_t)call->element,
		.flags = call->flags,
	};
	sigset_t all, mask, pending;
	int r;

	if (getrandom(&q.nonce, sizeof(q.nonce), 0) != (ssize_t)sizeof(q.nonce))
		return -EPERM;
	call_put_seal(seal, &q);
	(void)used_ns();
	/* A handler that calls sprofil must not send its request between two pieces of ours. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &mask);
	(void)sigpending(&pending);
	r = send_table(request_fd, pipe, call, &q, sigismember(&pending, SIGPIPE) == 1);
	(void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (r == 0)
		r = await_answer(request_fd, answers->read_fd, &q, ret_reply);
	/* Without the seal (proto/call.h), the supervisor refuses a copy of the request. */
	explicit_bzero(seal, sizeof(seal));
	return r;
}

/*
 * Each dialogue has its own answer pipe. A supervisor that does not trace us answers every request
 * of a table; in @pipe, such answers would be taken for entries (test: live_unfollowed).
 */
int client_converse(int request_fd, const struct client_pipe *pipe, const struct client_call *call,
	bool off, struct client_reply *ret_reply)
{
	struct client_pipe answers;
	int r = client_pipe_open(&answers);

	if (r < 0)
		return r;
	r = converse(request_fd, pipe, &answers, call, off, ret_reply);
	client_pipe_close(&answers);
	return r;
}
