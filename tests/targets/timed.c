/* SPDX-License-Identifier: MIT */
/*
 * timed CALL US CALLS [SIGNAL...]: calls that wait on a socket with a time-out of US microseconds
 * while another thread sends signals to this one, at most 10.2 ms apart. CALL: accept, accept_tcp,
 * recv (UNIX stream), recv_udp, recv_tcp, send (UNIX), send_tcp, connect_tcp, or "all" of
 * these; transfers that are done in part before their peer stalls: recv_part, recv_part_tcp
 * (MSG_WAITALL), send_part (UNIX). SIGNALs: chld, winch (both ignored), usr1 (a handler).
 *
 * Without a handler, each call must fail with EAGAIN (connect over TCP: EINPROGRESS; transfers: it
 * must return what is done), and none before its time is over. With a handler, it may also fail
 * with EINTR after the handler has run. Prints a line for each call: name, calls, how many ended
 * early and by how much at most (us), how late they were (median, most, us), wrong results. Ends
 * with 1 if a result was wrong, or if more than EARLY_MOST calls of a kind ended early. Some may:
 * on a virtual machine the kernel's ticks come late, and time-outs counted by ticks are then too
 * short (1 of 1000 calls without a tracer).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

#include "tests/targets/harmed.h"

#define CALLS_MOST 100000
#define EARLY_MOST 2

static pthread_t self;
static atomic_bool over;
static volatile sig_atomic_t handled;
static int signals[4], signals_n;
static int fd[2];
static struct sockaddr_in nowhere;
static uint64_t late[CALLS_MOST];
static unsigned us;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	handled++;
}

static void *tease(void *context)
{
	unsigned random = (unsigned)(uintptr_t)context, next = 0;

	while (!atomic_load(&over)) {
		random = random * 1664525 + 1013904223;
		(void)usleep(200 + (random >> 8) % (us < 10000 ? us : 10000));
		if (signals_n)
			(void)pthread_kill(self, signals[next++ % (unsigned)signals_n]);
	}
	return NULL;
}

static struct sockaddr_in local(void)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void must(bool good, const char *what)
{
	if (!good)
		harmed("%s: %s", what, strerror(errno));
}

static void make_pair(int domain, int type)
{
	struct sockaddr_in address = local();
	socklen_t bytes = sizeof(address);
	int listener;

	if (domain == AF_UNIX) {
		must(socketpair(AF_UNIX, type, 0, fd) == 0, "socketpair");
		return;
	}
	listener = socket(domain, type, 0);
	must(bind(listener, (struct sockaddr *)&address, bytes) == 0, "bind");
	fd[0] = listener;
	if (type == SOCK_DGRAM)
		return;
	must(listen(listener, 1) == 0, "listen");
	(void)getsockname(listener, (struct sockaddr *)&address, &bytes);
	fd[1] = socket(domain, type, 0);
	must(connect(fd[1], (struct sockaddr *)&address, bytes) == 0, "connect");
	fd[0] = accept(listener, NULL, NULL);
	must(fd[0] >= 0, "accept");
	(void)close(listener);
}

static void make_listener(int domain)
{
	struct sockaddr_in address = local();

	if (domain == AF_UNIX) {
		struct sockaddr_un any = {.sun_family = AF_UNIX};

		fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
		must(bind(fd[0], (struct sockaddr *)&any, sizeof(sa_family_t)) == 0, "bind");
	} else {
		fd[0] = socket(AF_INET, SOCK_STREAM, 0);
		must(bind(fd[0], (struct sockaddr *)&address, sizeof(address)) == 0, "bind");
	}
	must(listen(fd[0], 1) == 0, "listen");
}

/* True: there was room. */
static bool fill(void)
{
	char block[4096] = {0};
	bool room = false;

	while (send(fd[0], block, sizeof(block), MSG_DONTWAIT) > 0)
		room = true;
	/* The last page may have room for single bytes. */
	while (send(fd[0], block, 1, MSG_DONTWAIT) > 0)
		room = true;
	return room;
}

static void make_accept(void)
{
	make_listener(AF_UNIX);
}
static void make_accept_tcp(void)
{
	make_listener(AF_INET);
}
static void make_recv(void)
{
	make_pair(AF_UNIX, SOCK_STREAM);
}
static void make_recv_udp(void)
{
	make_pair(AF_INET, SOCK_DGRAM);
}
static void make_recv_tcp(void)
{
	make_pair(AF_INET, SOCK_STREAM);
}
static void make_send(void)
{
	make_pair(AF_UNIX, SOCK_STREAM);
	(void)fill();
}
static void make_send_tcp(void)
{
	make_pair(AF_INET, SOCK_STREAM);
	/*
	 * A full socket gets room again when data under way arrive, and when TCP probes the closed
	 * window after 0.2 s. So it is filled until it had no room for 300 ms.
	 */
	for (int quiet = 0, i = 0; quiet < 300 && i < 10000; i++) {
		quiet = fill() ? 0 : quiet + 1;
		(void)usleep(1000);
	}
}

/* The listener's queue is full, and it does not answer. */
static void make_connect_tcp(void)
{
	socklen_t bytes = sizeof(nowhere);

	make_listener(AF_INET);
	(void)getsockname(fd[0], (struct sockaddr *)&nowhere, &bytes);
	for (int i = 0; i < 4; i++) {
		int filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		(void)connect(filler, (struct sockaddr *)&nowhere, bytes);
	}
	(void)usleep(10000);
}

static long call_accept(void)
{
	return accept(fd[0], NULL, NULL);
}
static long call_recv(void)
{
	char c;

	return recv(fd[0], &c, 1, 0);
}
static long call_send(void)
{
	char c = 0;

	return send(fd[0], &c, 1, 0);
}
static long call_connect_tcp(void)
{
	int fresh = socket(AF_INET, SOCK_STREAM, 0), error;
	struct timeval wait;
	socklen_t bytes = sizeof(wait);
	long r;

	(void)getsockopt(fd[0], SOL_SOCKET, SO_SNDTIMEO, &wait, &bytes);
	(void)setsockopt(fresh, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	r = connect(fresh, (struct sockaddr *)&nowhere, sizeof(nowhere));
	error = errno;
	(void)close(fresh);
	errno = error;
	return r;
}

/* A transfer done in part returns what a call returns whose time is over. */
static long part_of(ssize_t n, size_t whole)
{
	if (n >= 0)
		errno = n && (size_t)n < whole ? EAGAIN : EPROTO;
	return -1;
}

static void *send_late(void *context)
{
	(void)context;
	(void)usleep(us / 2);
	(void)send(fd[1], "", 1, 0);
	return NULL;
}

/*
 * The first of two bytes comes at half the time, the second never. On a busy machine the first may
 * come too late; it is then read at the next call.
 */
static long call_recv_part(void)
{
	pthread_t thread;
	char c[2];
	ssize_t n;

	(void)recv(fd[0], c, sizeof(c), MSG_DONTWAIT);
	must(pthread_create(&thread, NULL, send_late, NULL) == 0, "pthread_create");
	n = recv(fd[0], c, sizeof(c), MSG_WAITALL);
	(void)pthread_join(thread, NULL);
	return part_of(n, sizeof(c));
}

/* More than a new socket's buffer holds; nobody reads. */
static long call_send_part(void)
{
	static char data[4 << 20];
	struct timeval wait;
	socklen_t bytes = sizeof(wait);
	int pair[2];
	ssize_t n;

	(void)getsockopt(fd[0], SOL_SOCKET, SO_SNDTIMEO, &wait, &bytes);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	(void)setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	n = send(pair[0], data, sizeof(data), 0);
	(void)close(pair[0]);
	(void)close(pair[1]);
	return part_of(n, sizeof(data));
}

static const struct scenario {
	const char *name;
	void (*make)(void);
	long (*call)(void);
	int error;
} scenarios[] = {
	{"accept", make_accept, call_accept, EAGAIN},
	{"accept_tcp", make_accept_tcp, call_accept, EAGAIN},
	{"recv", make_recv, call_recv, EAGAIN},
	{"recv_udp", make_recv_udp, call_recv, EAGAIN},
	{"recv_tcp", make_recv_tcp, call_recv, EAGAIN},
	{"send", make_send, call_send, EAGAIN},
	{"send_tcp", make_send_tcp, call_send, EAGAIN},
	{"connect_tcp", make_connect_tcp, call_connect_tcp, EINPROGRESS},
	{"recv_part", make_recv, call_recv_part, EAGAIN},
	{"recv_part_tcp", make_recv_tcp, call_recv_part, EAGAIN},
	{"send_part", make_recv, call_send_part, EAGAIN},
};

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool run(const struct scenario *s, unsigned calls)
{
	struct timeval wait = {us / 1000000, us % 1000000};
	unsigned early = 0, wrong = 0, timed = 0;
	uint64_t by = 0;

	s->make();
	must(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0, "SO_RCVTIMEO");
	must(setsockopt(fd[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) == 0, "SO_SNDTIMEO");
	for (unsigned i = 0; i < calls; i++) {
		sig_atomic_t before = handled;
		uint64_t since = now_ns(), took;
		long r = s->call();
		int error = r < 0 ? errno : 0;

		took = (now_ns() - since) / 1000;
		if (handled != before && (error == EINTR || error == s->error))
			continue;
		if (error != s->error) {
			wrong++;
		} else if (took < us) {
			early++;
			by = us - took > by ? us - took : by;
		} else {
			late[timed++] = took - us;
		}
	}
	qsort(late, timed, sizeof(*late), ascending);
	(void)printf("%s calls %u early %u by %llu late %llu most %llu wrong %u\n", s->name, calls,
		early, (unsigned long long)by, timed ? (unsigned long long)late[timed / 2] : 0,
		timed ? (unsigned long long)late[timed - 1] : 0, wrong);
	(void)fflush(stdout);
	(void)close(fd[0]);
	(void)close(fd[1]);
	return early > EARLY_MOST || wrong;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int signal;
	} known[] = {{"chld", SIGCHLD}, {"winch", SIGWINCH}, {"usr1", SIGUSR1}};
	unsigned calls = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	bool bad = false;
	pthread_t thread;

	us = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	if (argc < 4 || !us || calls > CALLS_MOST)
		harmed("usage: timed CALL US CALLS [SIGNAL...]");
	self = pthread_self();
	for (int i = 4; i < argc; i++) {
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			if (strcmp(argv[i], known[k].name) == 0 && signals_n < 4)
				signals[signals_n++] = known[k].signal;
		}
	}
	on_signal(SIGUSR1, handle, 0);
	(void)pthread_create(&thread, NULL, tease, (void *)(uintptr_t)now_ns());
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		/* Not in "all": in time-outs below a scheduler tick, a part may end a transfer. */
		bool all = strcmp(argv[1], "all") == 0 && !strstr(scenarios[i].name, "_part");

		if (all || strcmp(argv[1], scenarios[i].name) == 0)
			bad |= run(&scenarios[i], calls);
	}
	atomic_store(&over, true);
	(void)pthread_join(thread, NULL);
	return bad;
}
