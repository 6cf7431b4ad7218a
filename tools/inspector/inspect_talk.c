/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect_talk.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/libexec.h"
#include "profile/file.h"

#define ANSWER_BYTES_MOST ((size_t)1 << 30)

bool inspect_talk_find(char ret_path[PATH_MAX])
{
	return libexec_find("sprofil-inspector", ret_path);
}

/*
 * Sends the request. If the inspector dies before it has read the whole request, stops without an
 * error: the incomplete answer shows the death.
 */
static void send_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		data += n;
		bytes -= (size_t)n;
	}
	(void)shutdown(fd, SHUT_WR);
}

/*
 * Runs one inspector process. *@ret_killed: SIGKILL ended the process. No file is to blame for
 * that.
 */
static int talk(const char *path, const char *asked, size_t asked_bytes, uint8_t **ret_answer,
	size_t *ret_bytes, bool *ret_killed)
{
	char *const argv[] = {(char *)path, NULL};
	FILE *out;
	pid_t pid;
	int fd[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	r = libexec_read(argv, fd[1], false, &out, &pid);
	(void)close(fd[1]);
	if (r == 0) {
		send_all(fd[0], asked, asked_bytes);
		r = file_read_fd(fileno(out), true, ANSWER_BYTES_MOST, ret_answer, ret_bytes);
		*ret_killed = libexec_end(out, pid) == 128 + SIGKILL;
	}
	(void)close(fd[0]);
	return r == -EFBIG ? -ENOMEM : r;
}

int inspect_talk(const char *path, const char *asked, size_t asked_bytes, uint8_t **ret_answer,
	size_t *ret_bytes)
{
	bool killed = false;
	int r = talk(path, asked, asked_bytes, ret_answer, ret_bytes, &killed);

	if (r == 0 && killed) {
		free(*ret_answer);
		r = talk(path, asked, asked_bytes, ret_answer, ret_bytes, &killed);
	}
	return r;
}
