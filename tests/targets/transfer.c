/* SPDX-License-Identifier: MIT */
/*
 * transfer NAME TIMES: moves 1 MiB TIMES times by the call NAME ("all": each), and never repeats a
 * short call, like programs that never saw one. Another thread reads or writes the other end, and
 * compares every byte. Prints a line for each call: its name, the number of calls, of short
 * results, and of errors (wrong contents included). Ends with 0 if there were none.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES ((size_t)1 << 20)

static int fd[2]; /* fd[0] is read, fd[1] written */
static unsigned char out[BYTES], in[BYTES];
static atomic_ulong wrong;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

/* The byte at offset @i of the stream; the period is no power of two. */
static unsigned char byte_at(size_t i)
{
	return (unsigned char)(i % 251);
}

static void make_pipe(void)
{
	if (pipe(fd) < 0)
		die("pipe");
}

static void make_unix(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		die("socketpair");
}

static void make_tcp(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 1) < 0 ||
		getsockname(listener, (struct sockaddr *)&address, &size) < 0)
		die("listen");
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd[1], (struct sockaddr *)&address, size) < 0)
		die("connect");
	fd[0] = accept(listener, NULL, NULL);
	(void)close(listener);
}

static void make_zero(void)
{
	fd[0] = open("/dev/zero", O_RDONLY);
	fd[1] = -1;
}

static void make_full(void)
{
	fd[0] = open("/dev/full", O_RDONLY);
	fd[1] = -1;
}

static void make_random(void)
{
	fd[0] = open("/dev/random", O_RDONLY);
	fd[1] = -1;
}

static void make_urandom(void)
{
	fd[0] = open("/dev/urandom", O_RDONLY);
	fd[1] = -1;
}

static void make_file(void)
{
	fd[0] = -1;
	fd[1] = memfd_create("copy", MFD_CLOEXEC);
}

/* Parts of 1, 978, 1955... bytes and the rest: many more than a restart handles at once. */
static int parts_of(unsigned char *base, struct iovec *part, int most)
{
	size_t at = 0;
	int n = 0;

	for (; n < most - 1; n++) {
		size_t bytes = (size_t)n * 977 + 1;

		if (at + bytes >= BYTES)
			break;
		part[n] = (struct iovec){base + at, bytes};
		at += bytes;
	}
	part[n] = (struct iovec){base + at, BYTES - at};
	return n + 1;
}

static ssize_t call_write(void)
{
	return write(fd[1], out, BYTES);
}

static ssize_t call_writev(void)
{
	struct iovec part[40];

	return writev(fd[1], part, parts_of(out, part, 40));
}

static ssize_t call_send(void)
{
	return send(fd[1], out, BYTES, 0);
}

static ssize_t call_sendmsg(void)
{
	struct iovec part[40];
	struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts_of(out, part, 40)};

	return sendmsg(fd[1], &message, 0);
}

static ssize_t call_recv(void)
{
	return recv(fd[0], in, BYTES, MSG_WAITALL);
}

static ssize_t call_recvmsg(void)
{
	struct iovec part[40];
	struct msghdr message = {.msg_iov = part, .msg_iovlen = (size_t)parts_of(in, part, 40)};

	return recvmsg(fd[0], &message, MSG_WAITALL);
}

static ssize_t call_read(void)
{
	return read(fd[0], in, BYTES);
}

static ssize_t call_preadv2(void)
{
	struct iovec part[40];

	return preadv2(fd[0], part, parts_of(in, part, 40), -1, 0);
}

static ssize_t call_pwritev2(void)
{
	struct iovec part[40];

	return pwritev2(fd[1], part, parts_of(out, part, 40), -1, 0);
}

/* Returns a file that begins with the BYTES bytes of out. */
static int source(void)
{
	static int file = -1;

	if (file < 0) {
		file = memfd_create("source", MFD_CLOEXEC);
		if (file < 0 || write(file, out, BYTES) != (ssize_t)BYTES)
			die("memfd_create");
	}
	return file;
}

static ssize_t call_sendfile(void)
{
	off_t at = 0;

	return sendfile(fd[1], source(), &at, BYTES);
}

/*
 * Writes 200 times to a pipe that only this thread reads: each call must return when the pipe is
 * full. A call that the supervisor restarted for the rest would wait for ever. Returns BYTES if
 * each call moved as many bytes as the pipe holds; otherwise -1.
 */
static ssize_t call_own_pipe(void)
{
	static unsigned char data[BYTES];
	int room = fcntl(fd[1], F_GETPIPE_SZ);

	for (int i = 0; i < 200; i++) {
		ssize_t n = call_sendfile(), taken = read(fd[0], data, BYTES);

		if (n != room || taken != n)
			return -1;
	}
	return (ssize_t)BYTES;
}

static ssize_t call_copy_file_range(void)
{
	off_t from = 0, to = 0;
	ssize_t n = copy_file_range(source(), &from, fd[1], &to, BYTES, 0);

	return pread(fd[1], in, BYTES, 0) == (ssize_t)BYTES ? n : -1;
}

static ssize_t call_getrandom(void)
{
	return getrandom(in, BYTES, 0);
}

/* Reads in pieces that sometimes make the writer wait. */
static void *take(void *context)
{
	static unsigned char data[30011];
	size_t at = 0;
	ssize_t n;

	(void)context;
	while ((n = read(fd[0], data, sizeof(data))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (data[i] != byte_at(at++ % BYTES)) {
				atomic_fetch_add(&wrong, 1);
				return NULL;
			}
		}
	}
	return NULL;
}

static unsigned long times;

static void *give(void *context)
{
	(void)context;
	for (unsigned long i = 0; i < times; i++) {
		for (size_t at = 0; at < BYTES;) {
			size_t some = BYTES - at < 30011 ? BYTES - at : 30011;
			ssize_t n = write(fd[1], out + at, some);

			if (n < 0)
				return NULL;
			at += (size_t)n;
		}
	}
	return NULL;
}

static void check_stream(void)
{
	if (memcmp(in, out, BYTES) != 0)
		atomic_fetch_add(&wrong, 1);
}

static void check_zero(void)
{
	for (size_t i = 0; i < BYTES; i++)
		if (in[i]) {
			atomic_fetch_add(&wrong, 1);
			break;
		}
}

/* The buffer held zeros: a page that the call left out still has them. */
static void check_random(void)
{
	for (size_t i = 0; i < BYTES; i += 4096) {
		size_t zeros = 0;

		for (size_t k = 0; k < 64; k++)
			zeros += in[i + k] == 0;
		if (zeros == 64) {
			atomic_fetch_add(&wrong, 1);
			break;
		}
	}
}

static const struct scenario {
	const char *name;
	void (*make)(void);
	ssize_t (*call)(void);
	void *(*peer)(void *);
	void (*check)(void);
} scenarios[] = {
	{"pipe_write", make_pipe, call_write, take, NULL},
	{"pipe_writev", make_pipe, call_writev, take, NULL},
	{"unix_send", make_unix, call_send, take, NULL},
	{"unix_write", make_unix, call_write, take, NULL},
	{"unix_sendmsg", make_unix, call_sendmsg, take, NULL},
	{"tcp_send", make_tcp, call_send, take, NULL},
	{"tcp_writev", make_tcp, call_writev, take, NULL},
	{"unix_waitall", make_unix, call_recv, give, check_stream},
	{"tcp_waitall", make_tcp, call_recv, give, check_stream},
	{"tcp_recvmsg", make_tcp, call_recvmsg, give, check_stream},
	{"getrandom", make_zero, call_getrandom, NULL, check_random},
	{"urandom", make_urandom, call_read, NULL, check_random},
	{"zero", make_zero, call_read, NULL, check_zero},
	{"full", make_full, call_read, NULL, check_zero},
	{"random", make_random, call_read, NULL, check_random},
	{"zero_preadv2", make_zero, call_preadv2, NULL, check_zero},
	{"pipe_pwritev2", make_pipe, call_pwritev2, take, NULL},
	{"tcp_sendfile", make_tcp, call_sendfile, take, NULL},
	{"sendfile_own_pipe", make_pipe, call_own_pipe, NULL, NULL},
	{"copy_file_range", make_file, call_copy_file_range, NULL, check_stream},
};

static unsigned long run(const struct scenario *s)
{
	unsigned long cut = 0, errors;
	pthread_t thread;

	atomic_store(&wrong, 0);
	s->make();
	if (s->peer && pthread_create(&thread, NULL, s->peer, NULL))
		die("pthread_create");
	errors = 0;
	for (unsigned long i = 0; i < times; i++) {
		ssize_t n;

		if (s->check)
			memset(in, s->check == check_zero, BYTES);
		n = s->call();
		if (n < 0)
			errors++;
		else if ((size_t)n < BYTES)
			cut++;
		else if (s->check)
			s->check();
		if (s->peer && (n < 0 || (size_t)n < BYTES))
			break; /* from here on the stream's bytes do not match */
	}
	if (fd[1] >= 0 && s->peer == take)
		(void)close(fd[1]);
	else if (s->peer)
		(void)shutdown(fd[0], SHUT_RDWR);
	if (s->peer)
		(void)pthread_join(thread, NULL);
	errors += atomic_load(&wrong);
	(void)printf("%s calls %lu short %lu errors %lu\n", s->name, times, cut, errors);
	(void)fflush(stdout);
	return cut + errors;
}

int main(int argc, char **argv)
{
	unsigned long bad = 0;

	if (argc < 3)
		die("usage: transfer NAME TIMES");
	times = strtoul(argv[2], NULL, 10);
	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < BYTES; i++)
		out[i] = byte_at(i);
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		if (strcmp(argv[1], "all") == 0 || strcmp(argv[1], scenarios[i].name) == 0)
			bad += run(&scenarios[i]);
	}
	return bad != 0;
}
