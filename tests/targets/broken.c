/* SPDX-License-Identifier: MIT */
/*
 * broken CALLS: SIGPIPE is ignored. The reader of a pipe or socket takes a part of a transfer and
 * goes away: the call returns the number of bytes sent, and SIGPIPE is sent. Makes CALLS calls each
 * of write, writev, send and sendfile. Ends with 0 if each returned a part (or EPIPE).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define WHOLE (1 << 20)

static char data[WHOLE];
static int end[2]; /* end[0] is read, end[1] written */
static int file;

static void *take_some(void *context)
{
	char some[20000];

	(void)context;
	for (int n = 0; n < 5; n++)
		(void)!read(end[0], some, sizeof(some));
	(void)close(end[0]);
	return NULL;
}

static ssize_t transfer(int which)
{
	struct iovec parts[2] = {{data, WHOLE / 2}, {data + WHOLE / 2, WHOLE / 2}};
	off_t offset = 0;

	switch (which) {
	case 0: return write(end[1], data, WHOLE);
	case 1: return writev(end[1], parts, 2);
	case 2: return send(end[1], data, WHOLE, 0);
	default: return sendfile(end[1], file, &offset, WHOLE);
	}
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 10, parts = 0;

	(void)signal(SIGPIPE, SIG_IGN);
	file = memfd_create("data", 0);
	if (file < 0 || ftruncate(file, WHOLE) < 0)
		return 1;
	for (int i = 0; i < calls * 4; i++) {
		pthread_t thread;
		ssize_t n;

		if (i % 4 < 2 ? pipe(end) < 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, end) < 0)
			return 1;
		(void)pthread_create(&thread, NULL, take_some, NULL);
		n = transfer(i % 4);
		if (n >= WHOLE || (n < 0 && errno != EPIPE)) {
			(void)printf("call %d: %zd, errno %d\n", i % 4, n, errno);
			return 1;
		}
		parts += n > 0;
		(void)pthread_join(thread, NULL);
		(void)close(end[1]);
	}
	(void)printf("%d of %d returned a part\n", parts, calls * 4);
	return 0;
}
