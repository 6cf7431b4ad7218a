/* SPDX-License-Identifier: MIT */
#include "supervisor/sample/moment.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 512 /* the line is the third */

int moment_parse(const char *text, uint64_t *ret_ns)
{
	static const char key[] = "\nse.exec_start";
	const char *at = strstr(text, key), *begin;
	char *end;
	uint64_t ms, rest;

	if (!at)
		return -EPROTO;
	at += sizeof(key) - 1;
	at += strspn(at, " ");
	if (*at != ':')
		return -EPROTO;
	at += 1 + strspn(at + 1, " ");
	ms = strtoull(at, &end, 10);
	if (!isdigit((unsigned char)*at) || *end != '.')
		return -EPROTO;
	begin = end + 1;
	rest = strtoull(begin, &end, 10);
	if (!isdigit((unsigned char)*begin) || end - begin != 6)
		return -EPROTO;
	*ret_ns = ms * 1000000 + rest;
	return 0;
}

static int read_file(int fd, uint64_t *ret_ns)
{
	char text[HEAD_BYTES];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return moment_parse(text, ret_ns);
}

static void close_other(struct moment *moment)
{
	if (moment->other_fd >= 0)
		(void)close(moment->other_fd);
	moment->other_fd = -1;
	moment->tid = 0;
}

static void open_other(struct moment *moment, int pid, int tid)
{
	char path[64];

	close_other(moment);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", pid, tid);
	moment->other_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (moment->other_fd >= 0)
		moment->tid = tid;
}

void moment_init(struct moment *moment)
{
	*moment = (struct moment){.fd = -1, .other_fd = -1};
}

void moment_release(struct moment *moment)
{
	close_other(moment);
	if (moment->fd >= 0)
		(void)close(moment->fd);
	moment_init(moment);
}

void moment_begin(struct moment *moment, bool wanted)
{
	moment->ours = 0;
	if (!wanted || moment->none)
		return;
	if (moment->fd < 0)
		moment->fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	moment->none = moment->fd < 0 || read_file(moment->fd, &moment->ours) < 0;
}

enum moment_was moment_of(struct moment *moment, int pid, int tid)
{
	uint64_t its;

	if (moment->none)
		return MOMENT_UNKNOWN;
	if (!moment->ours)
		return MOMENT_LATE;
	if (moment->tid != tid)
		open_other(moment, pid, tid);
	if (moment->other_fd < 0)
		return MOMENT_UNKNOWN;
	if (read_file(moment->other_fd, &its) < 0) {
		close_other(moment); /* it is gone, and another one may get its number */
		return MOMENT_UNKNOWN;
	}
	return moment->ours == its ? MOMENT_REPLACED : MOMENT_ELSEWHERE;
}
