/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "profile/pprof.h"
#include "profile/profile.h"
#include "tools/serve/serve_spans.h"

#define PIECE_MOST_BYTES ((size_t)256 << 20)
#define READ_BYTES       ((size_t)256 << 10)
/* Maximum number of reads of a piece per round: HTTP clients wait while pieces are read. */
#define READS_MOST 64

static void forget(struct coming *coming)
{
	(void)close(coming->fd);
	free(coming->data);
	*coming = (struct coming){.fd = -1};
}

void serve_pieces_init(struct serve_pieces *pieces, int fd, struct spans *spans)
{
	*pieces = (struct serve_pieces){.fd = fd, .spans = spans};
	for (size_t i = 0; i < SERVE_PIECES_MOST; i++)
		pieces->coming[i].fd = -1;
}

void serve_pieces_release(struct serve_pieces *pieces)
{
	for (size_t i = 0; i < SERVE_PIECES_MOST; i++) {
		if (pieces->coming[i].fd >= 0)
			forget(&pieces->coming[i]);
	}
	if (pieces->fd >= 0)
		(void)close(pieces->fd);
	pieces->fd = -1;
}

void serve_pieces_poll(const struct serve_pieces *pieces, struct pollfd *fds)
{
	bool room = false;

	for (size_t i = 0; i < SERVE_PIECES_MOST; i++) {
		fds[1 + i] = (struct pollfd){.fd = pieces->coming[i].fd, .events = POLLIN};
		room |= pieces->coming[i].fd < 0;
	}
	fds[0] = (struct pollfd){.fd = room ? pieces->fd : -1, .events = POLLIN};
}

/* Returns the first descriptor in a message, and closes all others. -1: the message has none. */
static int take_descriptor(struct msghdr *message)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(message);
	int found = -1, fd;

	for (; part; part = CMSG_NXTHDR(message, part)) {
		size_t bytes = part->cmsg_len - CMSG_LEN(0);

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < bytes / sizeof(int); i++) {
			memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
			if (found < 0)
				found = fd;
			else
				(void)close(fd);
		}
	}
	return found;
}

static void begin(struct serve_pieces *pieces, const struct piece *piece, int fd)
{
	for (size_t i = 0; i < SERVE_PIECES_MOST; i++) {
		if (pieces->coming[i].fd >= 0)
			continue;
		pieces->coming[i] = (struct coming){.piece = *piece, .fd = fd};
		return;
	}
	(void)close(fd);
}

static void done(struct serve_pieces *pieces, const struct piece *piece)
{
	if (piece->until_ns > pieces->so_far_ns)
		pieces->so_far_ns = piece->until_ns;
}

/* Takes an announcement. False: no process that could send one is left. */
static bool take_announcement(struct serve_pieces *pieces)
{
	uint8_t head[PIECE_BYTES + 1];
	struct iovec bytes = {head, sizeof(head)};
	union {
		char room[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr message = {.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(pieces->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct piece piece;
	int fd;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	fd = take_descriptor(&message);
	if (n == 0 && fd < 0)
		return false;
	if (fd < 0 || piece_get(head, (size_t)n, &piece) < 0) {
		pieces->problem = "an analyst has sent something that is no piece";
	} else if (spans_announced(pieces->spans, &piece)) {
		begin(pieces, &piece, fd);
		return true;
	} else {
		done(pieces, &piece);
	}
	if (fd >= 0)
		(void)close(fd);
	return true;
}

static bool grow(struct coming *coming)
{
	uint8_t *more;

	if (coming->room - coming->bytes >= READ_BYTES)
		return true;
	if (coming->bytes >= PIECE_MOST_BYTES)
		return false;
	more = realloc(coming->data, coming->room * 2 + READ_BYTES);
	if (!more)
		return false;
	coming->data = more;
	coming->room = coming->room * 2 + READ_BYTES;
	return true;
}

static void end(struct serve_pieces *pieces, struct coming *coming)
{
	struct profile *profile;
	int r = pprof_read(coming->data, coming->bytes, &profile, NULL);

	if (r == 0) {
		r = spans_take(pieces->spans, &coming->piece, profile);
		profile_free(profile);
	}
	if (r < 0)
		pieces->problem = "a piece of the profile was cut off or damaged";
	else
		done(pieces, &coming->piece);
	forget(coming);
}

static void take_data(struct serve_pieces *pieces, struct coming *coming)
{
	for (unsigned i = 0; i < READS_MOST; i++) {
		ssize_t n = grow(coming) ? read(coming->fd, coming->data + coming->bytes,
						   coming->room - coming->bytes)
					 : 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			end(pieces, coming);
			return;
		}
		coming->bytes += (size_t)n;
	}
}

void serve_pieces_turn(struct serve_pieces *pieces, const struct pollfd *fds)
{
	bool any = false;

	for (size_t i = 0; i < SERVE_PIECES_MOST; i++) {
		if (fds[1 + i].fd >= 0 && fds[1 + i].revents)
			take_data(pieces, &pieces->coming[i]);
	}
	if (fds[0].fd >= 0 && fds[0].revents && !take_announcement(pieces)) {
		(void)close(pieces->fd);
		pieces->fd = -1;
	}
	for (size_t i = 0; i < SERVE_PIECES_MOST; i++)
		any |= pieces->coming[i].fd >= 0;
	if (pieces->fd < 0 && !any)
		spans_close(pieces->spans);
}
