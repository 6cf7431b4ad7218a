/* SPDX-License-Identifier: MIT */
/*
 * blocked MODE [ARG...]: a target whose calls block while signals and ticks come, and a tracer
 * attaches and detaches. Ends with 0 if no call was disturbed; otherwise prints what happened and
 * ends with 1. The modes are described above their functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "tests/targets/harmed.h"

static pthread_t self;
static atomic_int self_tid;
static atomic_bool over;
static volatile sig_atomic_t count;

static void counted(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	count++;
}

static bool is_asleep(int tid)
{
	char path[64], text[512];
	const char *state;
	int fd;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

static atomic_int waiting;

static void *interrupt_sleeper(void *context)
{
	for (unsigned i = 1; i <= (unsigned)(uintptr_t)context; i++) {
		while (atomic_load(&waiting) != (int)i || !is_asleep(atomic_load(&self_tid)))
			(void)usleep(50);
		(void)pthread_kill(self, SIGUSR1);
	}
	return NULL;
}

/* handler N: a handler interrupts a blocked epoll_wait N times, each time with EINTR. */
static void handler_interrupts(unsigned n)
{
	int ep = epoll_create1(0);
	struct epoll_event event;
	pthread_t thread;

	on_signal(SIGUSR1, counted, SA_RESTART);
	(void)pthread_create(&thread, NULL, interrupt_sleeper, (void *)(uintptr_t)n);
	for (unsigned i = 1; i <= n; i++) {
		int r;

		work_ms(i % 3);
		atomic_store(&waiting, (int)i);
		r = epoll_wait(ep, &event, 1, 5000);
		if (r >= 0 || errno != EINTR || count != (int)i)
			harmed("call %u: %d, errno %d, %d handlers", i, r, errno, (int)count);
	}
	(void)pthread_join(thread, NULL);
}

static void *tease(void *context)
{
	(void)context;
	while (!atomic_load(&over)) {
		(void)usleep(5000);
		(void)pthread_kill(self, SIGWINCH);
	}
	return NULL;
}

struct waits {
	int ep, sem, pair[2];
	unsigned ms;
	sigset_t set;
};

/* Each wait_*() makes one call. True: the call ended as it should. */
static bool wait_epoll(const struct waits *w)
{
	struct epoll_event event;

	return epoll_wait(w->ep, &event, 1, (int)w->ms) == 0;
}

static bool wait_poll(const struct waits *w)
{
	struct pollfd none = {.fd = -1};

	return poll(&none, 1, (int)w->ms) == 0;
}

static struct timespec spec_of(const struct waits *w)
{
	return (struct timespec){w->ms / 1000, w->ms % 1000 * 1000000};
}

static bool wait_ppoll(const struct waits *w)
{
	struct pollfd none = {.fd = -1};
	struct timespec rest = spec_of(w); /* the call writes the remaining time here */

	return syscall(SYS_ppoll, &none, 1, &rest, NULL, 0) == 0;
}

static bool wait_signal(const struct waits *w)
{
	struct timespec spec = spec_of(w);

	return sigtimedwait(&w->set, NULL, &spec) < 0 && errno == EAGAIN;
}

static bool wait_semaphore(const struct waits *w)
{
	struct timespec spec = spec_of(w);
	struct sembuf take = {0, -1, 0};

	return semtimedop(w->sem, &take, 1, &spec) < 0 && errno == EAGAIN;
}

static bool wait_sleep(const struct waits *w)
{
	struct timespec spec = spec_of(w);

	return nanosleep(&spec, NULL) == 0;
}

static bool wait_recv(const struct waits *w)
{
	char c;

	return recv(w->pair[0], &c, 1, 0) < 0 && errno == EAGAIN;
}

/*
 * timeouts MS SLACK: calls that wait MS ms while an ignored signal comes every 5 ms. No call may
 * end early. In the truth suite, no call may take more than SLACK ms too long.
 */
static void timeouts(unsigned ms, unsigned slack)
{
	static const struct {
		const char *name;
		bool (*wait)(const struct waits *w);
		/* ms that may be added: two ticks, if the supervisor ends the call */
		unsigned more;
	} calls[] = {{"epoll_wait", wait_epoll, 0}, {"poll", wait_poll, 0},
		{"ppoll", wait_ppoll, 0}, {"sigtimedwait", wait_signal, 0},
		{"semtimedop", wait_semaphore, 0}, {"nanosleep", wait_sleep, 0},
		{"recv", wait_recv, 8}};
	struct waits w = {.ep = epoll_create1(0), .sem = semget(IPC_PRIVATE, 1, 0600), .ms = ms};
	struct timeval val = {ms / 1000, ms % 1000 * 1000};
	pthread_t thread;

	(void)sigemptyset(&w.set);
	(void)sigaddset(&w.set, SIGUSR2);
	(void)sigprocmask(SIG_BLOCK, &w.set, NULL);
	(void)socketpair(AF_UNIX, SOCK_STREAM, 0, w.pair);
	(void)setsockopt(w.pair[0], SOL_SOCKET, SO_RCVTIMEO, &val, sizeof(val));
	(void)pthread_create(&thread, NULL, tease, NULL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		uint64_t most = (ms + slack + calls[i].more) * UINT64_C(1000);
		uint64_t since = now_ns(), us;

		if (!calls[i].wait(&w))
			harmed("%s: errno %d", calls[i].name, errno);
		us = (now_ns() - since) / 1000;
		(void)printf("%s asked %u took %llu us\n", calls[i].name, ms * 1000,
			(unsigned long long)us);
		/* Load can make a call late, which is judged in the truth suite only. */
		if (us < ms * 1000 || (us > most && getenv("TRUTH")))
			harmed("%s took %llu us instead of %u", calls[i].name,
				(unsigned long long)us, ms * 1000);
	}
	atomic_store(&over, true);
	(void)pthread_join(thread, NULL);
	(void)semctl(w.sem, 0, IPC_RMID);
}

/*
 * block CALL FD: blocks in a call until a byte comes on FD (0: stdin), and prints the call's
 * result. An attach and a detach meanwhile must not change the result.
 */
static void block(void)
{
	int ep = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	int r;

	(void)epoll_ctl(ep, EPOLL_CTL_ADD, 0, &event);
	r = epoll_wait(ep, &event, 1, -1);
	(void)printf("epoll_wait %d %s\n", r, r < 0 ? strerror(errno) : "");
	if (r != 1)
		harmed("epoll_wait: %d, %s", r, strerror(errno));
}

/* stop: SIGSTOP and SIGCONT end a blocked epoll_wait with EINTR, as without a tracer. */
static void stop_and_go(void)
{
	int ep = epoll_create1(0), r;
	struct epoll_event event;
	pid_t parent = getpid();

	if (fork() == 0) {
		while (!is_asleep(parent)) {
			if (getppid() != parent)
				_exit(0);
			(void)usleep(50);
		}
		(void)kill(parent, SIGSTOP);
		(void)usleep(50000);
		(void)kill(parent, SIGCONT);
		_exit(0);
	}
	r = epoll_wait(ep, &event, 1, 3000);
	if (r != -1 || errno != EINTR)
		harmed("epoll_wait after SIGSTOP and SIGCONT: %d", r);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned m = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;

	self = pthread_self();
	atomic_store(&self_tid, (int)syscall(SYS_gettid));
	if (strcmp(mode, "handler") == 0)
		handler_interrupts(n);
	else if (strcmp(mode, "timeouts") == 0)
		timeouts(n, m);
	else if (strcmp(mode, "block") == 0)
		block();
	else if (strcmp(mode, "stop") == 0)
		stop_and_go();
	else
		harmed("no mode '%s'", mode);
	return 0;
}
