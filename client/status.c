/* SPDX-License-Identifier: MIT */
/* sprofil_status(): the status of our table, from the supervisor, or the last one known. */
#include "client/client.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "client/include/sprofil/status.h"

#define ATTEMPTS   4
#define SIZE_LEAST 8
#define SIZE_MOST  256

/* A table is in force, as far as this process knows. */
static atomic_bool in_force;
/* How many calls have turned a table of the process on or off. */
static _Atomic uint32_t changes;
/* The last table was turned off without a final status. */
static atomic_bool unknown;
/*
 * There was a table of elapsed time (client_catch_up()). This stays set, because a thread's own
 * table may end unnoticed. While it is set, each call costs a status request.
 */
static atomic_bool behind;
/*
 * The final status of the last table; the first word is 0 if none is known. No lock is possible: a
 * signal handler may interrupt the writing, and the words are then a mix of two statuses.
 */
static _Atomic uint64_t last[CALL_STATUS_BYTES / 8];
static _Atomic uint32_t refusal;

uint32_t client_refusal(void)
{
	return atomic_load(&refusal);
}

void client_note_refusal(uint32_t reason)
{
	atomic_store(&refusal, reason);
}

/* Returns client_table() after @n changes. */
static int number_after(uint32_t n)
{
	return (int)(n % INT_MAX) + 1;
}

int client_table(void)
{
	return number_after(atomic_load(&changes));
}

bool client_has_table(void)
{
	return atomic_load(&in_force);
}

int client_note_on(void)
{
	atomic_store(&in_force, true);
	atomic_store(&unknown, false);
	client_note_refusal(SPROFIL_NO_REASON);
	return number_after(atomic_fetch_add(&changes, 1) + 1);
}

static void keep(const struct call_status *status)
{
	uint64_t words[CALL_STATUS_BYTES / 8];

	(void)call_put_status((uint8_t *)words, sizeof(words), status);
	for (unsigned i = CALL_STATUS_BYTES / 8; i-- > 0;)
		atomic_store(&last[i], words[i]);
}

/* Gets the final status of the last table. 0, or -ENODATA: unknown. */
static int recall(struct call_status *ret_status)
{
	uint64_t words[CALL_STATUS_BYTES / 8];

	*ret_status = (struct call_status){.state = CALL_IS_OFF};
	if (atomic_load(&unknown))
		return -ENODATA;
	for (unsigned i = 0; i < CALL_STATUS_BYTES / 8; i++)
		words[i] = atomic_load(&last[i]);
	if (words[0] && call_get_status((const uint8_t *)words, sizeof(words), ret_status) < 0)
		return -ENODATA;
	return 0;
}

/* Has the last table been turned off, or ended? If so, its figures no longer change. */
static bool is_over(void)
{
	return !atomic_load(&in_force) && (atomic_load(&unknown) || atomic_load(&last[0]));
}

void client_note_off(const struct call_status *status)
{
	struct call_status was;

	(void)atomic_fetch_add(&changes, 1);
	if (atomic_exchange(&in_force, false)) {
		atomic_store(&unknown, !status);
		if (status)
			keep(status);
	} else if (recall(&was) == 0) {
		/* The table had ended by itself: keeps its last status, now "off". */
		was.state = CALL_IS_OFF;
		keep(&was);
	}
}

/* Notes that the table has ended without a call; @status is its last one. */
static void note_end(const struct call_status *status)
{
	if (atomic_exchange(&in_force, false))
		keep(status);
}

/* Requests the status. 0; -ENOENT: no supervisor; -EPERM: it is out of reach; or -errno. */
static int ask_supervisor(const struct client_pipe *pipe, struct client_reply *ret_reply)
{
	const struct client_call question = {
		.dialect = CALL_NATIVE, .flags = CALL_STATUS, .element = 2};
	int r = -ENOENT;

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		int fd = client_find();

		if (fd < 0)
			return fd == -EPERM                       ? -ENOENT
				: fd == -EACCES || fd == -ENODATA ? -EPERM
								  : fd;
		r = client_is_hidden() ? client_ask_reach() : 0;
		if (r == 0)
			r = client_converse(fd, pipe, &question, false, ret_reply);
		(void)close(fd);
		if (r != -EPIPE && r != -ESRCH)
			break;
		client_forget(); /* the supervisor has ended meanwhile */
		r = -ENOENT;
	}
	return r;
}

void client_note_elapsed(void)
{
	atomic_store(&behind, true);
}

void client_catch_up(const struct client_pipe *pipe)
{
	struct client_reply reply;

	if (atomic_load(&behind) && ask_supervisor(pipe, &reply) == 0 && reply.has_status &&
		reply.status.state == CALL_HAS_ENDED)
		note_end(&reply.status);
}

static int read_status(
	const struct client_pipe *pipe, struct call_status *ret_status, int *ret_supervisor)
{
	struct client_reply reply;
	int r;

	client_catch_up(pipe);
	r = ask_supervisor(pipe, &reply);
	*ret_supervisor = 0;
	if (r == -ENOENT && atomic_load(&in_force)) {
		*ret_status = (struct call_status){.state = CALL_HAS_ENDED, .reason = CALL_GONE};
		return 0;
	}
	if (r == -ENOENT || (r == -EPERM && (is_over() || client_refusal())))
		return recall(ret_status);
	if (r < 0)
		return r;
	if (!reply.has_status)
		return -ENODATA;
	*ret_supervisor = client_supervisor();
	*ret_status = reply.status;
	/* The supervisor may end soon: the status is kept for later calls. */
	if (reply.status.state == CALL_HAS_ENDED)
		note_end(&reply.status);
	return reply.status.state == CALL_IS_OFF ? recall(ret_status) : 0;
}

static int fill(const struct client_pipe *pipe, void *to, size_t size)
{
	_Alignas(8) uint8_t data[SIZE_MOST] = {0};
	struct sprofil_state status = {.state = SPROFIL_OFF};
	struct call_status answer;
	int supervisor, r = read_status(pipe, &answer, &supervisor);

	if (r < 0)
		return r;
	status = (struct sprofil_state){.state = answer.state,
		.reason = answer.reason,
		.tick_ns = answer.tick_ns,
		.counted = answer.counted,
		.outside = answer.outside,
		.full = answer.full,
		.faulted = answer.faulted,
		.lost = answer.lost,
		.regions = answer.regions,
		.dead = answer.dead,
		.supervisor = supervisor};
	for (unsigned i = 0; i < SPROFIL_DEAD_LISTED && i < answer.dead; i++)
		status.first_dead[i] = answer.first_dead[i];
	if (answer.state == CALL_IS_OFF && client_refusal())
		status.reason = client_refusal();
	memcpy(data, &status, sizeof(status));
	return client_copy_out(pipe, to, data, size);
}

CLIENT_PUBLIC int sprofil_status(struct sprofil_state *status, size_t size)
{
	struct client_pipe pipe;
	int r;

	if (size < SIZE_LEAST || size > SIZE_MOST)
		return client_result(-EINVAL);
	r = client_pipe_open(&pipe);
	if (r == 0) {
		r = fill(&pipe, status, size);
		client_pipe_close(&pipe);
	}
	return client_result(r);
}
