/* SPDX-License-Identifier: MIT */
#include "opener/opener.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opener/openings.h"

static int here(const struct opening *what, struct opened *ret_opened)
{
	struct openings openings = {0};

	openings_answer(&openings, getpid(), what, ret_opened);
	openings_release(&openings);
	return ret_opened->error;
}

/* Returns the descriptor that came with a message; -1: none. There is room for one only. */
static int descriptor_of(struct msghdr *message)
{
	int fd = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
			c->cmsg_len >= CMSG_LEN(sizeof(fd)))
			memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	}
	return fd;
}

static int receive(struct opener *opener, struct opened *ret_opened)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	uint8_t packet[OPENING_BYTES_MOST];
	struct iovec data = {packet, sizeof(packet)};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t n = recvmsg(opener->fd, &message, MSG_CMSG_CLOEXEC);
	int fd;

	if (n <= 0)
		return n < 0 ? -errno : -EPIPE;
	fd = descriptor_of(&message);
	if (opened_get(packet, (size_t)n, ret_opened) < 0) {
		if (fd >= 0)
			(void)close(fd);
		return -EPROTO;
	}
	ret_opened->fd = fd;
	/* At the limit of open files, the kernel drops the descriptor and sets MSG_CTRUNC. */
	if (message.msg_flags & MSG_CTRUNC && fd < 0 && ret_opened->error == 0)
		ret_opened->error = -EMFILE;
	return 0;
}

static int fail(struct opened *opened, int error)
{
	*opened = (struct opened){.error = error, .fd = -1};
	if (error == -EPIPE || error == -ECONNRESET)
		strcpy(opened->text, "sprofil-opener, which opens files, has died");
	return error;
}

int opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened)
{
	uint8_t packet[OPENING_BYTES_MOST];
	struct iovec data = {packet, 0};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	int r;

	*ret_opened = (struct opened){.fd = -1};
	if (!opener)
		return here(what, ret_opened);
	/* A forked child has numbers of its own: another child's answer may be in the socket. */
	if (opener->pid != getpid()) {
		opener->pid = getpid();
		opener->sequence = (uint32_t)opener->pid << 16;
	}
	what->sequence = ++opener->sequence;
	data.iov_len = opening_put(packet, what);
	while (sendmsg(opener->fd, &message, MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return fail(ret_opened, -errno);
	}
	for (;;) {
		r = receive(opener, ret_opened);
		if (r == -EINTR)
			continue;
		if (r < 0)
			return fail(ret_opened, r);
		if (ret_opened->sequence == what->sequence)
			return ret_opened->error;
		/* Drops an answer to a child of ours that died before reading it. */
		if (ret_opened->fd >= 0)
			(void)close(ret_opened->fd);
		ret_opened->fd = -1;
	}
}

int opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened)
{
	struct opening what = {.kind = kind, .pid = pid};
	size_t bytes = strlen(path);

	if (bytes > OPENING_PATH_MOST) {
		*ret_opened = (struct opened){.fd = -1, .error = -ENAMETOOLONG};
		return -ENAMETOOLONG;
	}
	memcpy(what.path, path, bytes + 1);
	return opener_ask(opener, &what, ret_opened);
}

int opener_take(int fd, size_t most, uint8_t **ret_data, size_t *ret_bytes)
{
	struct stat st;
	uint8_t *data;
	size_t n = 0;
	ssize_t got = 1;
	int r = fstat(fd, &st) < 0 ? -errno : (uint64_t)st.st_size > most ? -EFBIG : 0;

	data = r == 0 ? malloc((size_t)st.st_size + 1) : NULL;
	if (r == 0 && !data)
		r = -ENOMEM;
	while (r == 0 && n < (size_t)st.st_size && got > 0) {
		got = pread(fd, data + n, (size_t)st.st_size - n, (off_t)n);
		n += got > 0 ? (size_t)got : 0;
	}
	(void)close(fd);
	if (r < 0)
		return r;
	data[n] = 0;
	*ret_data = data;
	*ret_bytes = n;
	return 0;
}
