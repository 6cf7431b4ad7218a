/* SPDX-License-Identifier: MIT */
#include "tools/serve/piece_send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/whole.h"
#include "profile/pprof.h"

/*
 * Longest time for which the server reads nothing, in ms. It is short because this process takes no
 * records meanwhile: they wait in the ring.
 */
#define PATIENCE_MS 5000

static int announce(int fd, const struct piece *piece, int pipe_fd)
{
	uint8_t head[PIECE_BYTES];
	struct iovec bytes = {head, sizeof(head)};
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr message = {.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room)};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &pipe_fd, sizeof(int));
	piece_put(head, piece);
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int piece_send(int fd, const struct piece *piece, const struct profile *profile)
{
	uint8_t *data;
	size_t bytes;
	int ends[2], r = pprof_write(profile, &data, &bytes);

	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		free(data);
		return -errno;
	}
	r = announce(fd, piece, ends[0]);
	(void)close(ends[0]);
	if (r == 0)
		r = whole_write(ends[1], data, bytes, PATIENCE_MS);
	(void)close(ends[1]);
	free(data);
	return r;
}
