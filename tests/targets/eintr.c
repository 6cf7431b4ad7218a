/* SPDX-License-Identifier: MIT */
/*
 * eintr NAME CALLS [SIGNAL...]: blocks CALLS times, for a short time, in the system call NAME
 * ("all": in each). Works in between, so that a stop often comes just when the thread falls asleep.
 * Meanwhile the SIGNALs (chld, winch, cont, urg), with default dispositions, are sent to the
 * thread.
 *
 * No handler is installed (except for pause and sigsuspend, which need one), so no call may fail
 * with EINTR, or return early without a result. Prints a line for each call: its name, the number
 * of calls, of EINTRs, and of other wrong results. Ends with 0 if there were none.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHORT_NS 200000 /* time-out of calls that time out */

static int fd[4], id;
static char folder[] = "/tmp/eintr.XXXXXX", path[64];
static aio_context_t aio;
static atomic_uint word;
static atomic_bool over;
static pthread_t self;
static volatile sig_atomic_t handled;

static const struct timespec short_time = {0, SHORT_NS};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static unsigned pick(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void work(unsigned us)
{
	uint64_t end = now_ns() + us * UINT64_C(1000);

	while (now_ns() < end)
		;
}

/* A call must time out with result @value or errno @error. 0: it did; -1: wrong; else errno. */
static int timed(long r, long value, int error)
{
	if (r < 0)
		return errno == error ? 0 : errno;
	return r == value && !error ? 0 : -1;
}

static int got(ssize_t r, ssize_t want)
{
	return r < 0 ? errno : r == want ? 0 : -1;
}

static void make_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	fd[0] = epoll_create1(0);
	fd[1] = eventfd(0, 0);
	if (fd[0] < 0 || epoll_ctl(fd[0], EPOLL_CTL_ADD, fd[1], &event) < 0)
		die("epoll");
}

static int call_epoll_wait(void)
{
	struct epoll_event event;

	return timed(epoll_wait(fd[0], &event, 1, 1), 0, 0);
}

static int call_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR2);
	return timed(epoll_pwait(fd[0], &event, 1, 1, &set), 0, 0);
}

static int call_epoll_pwait2(void)
{
	struct epoll_event event;

	return timed(syscall(441, fd[0], &event, 1, &short_time, NULL, 0), 0, 0);
}

static int call_poll(void)
{
	struct pollfd p = {.fd = fd[1], .events = POLLIN};

	return timed(poll(&p, 1, 1), 0, 0);
}

static int call_ppoll(void)
{
	struct pollfd p = {.fd = fd[1], .events = POLLIN};

	return timed(ppoll(&p, 1, &short_time, NULL), 0, 0);
}

/* The kernel cannot write the time-out's memory, so it does not restart the call by itself. */
static int call_ppoll_const(void)
{
	struct pollfd p = {.fd = fd[1], .events = POLLIN};

	return timed(syscall(SYS_ppoll, &p, 1, &short_time, NULL, 0), 0, 0);
}

static int call_select(void)
{
	struct timeval time = {0, SHORT_NS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd[1], &set);
	return timed(select(fd[1] + 1, &set, NULL, NULL, &time), 0, 0);
}

static int call_nanosleep(void)
{
	return timed(nanosleep(&short_time, NULL), 0, 0);
}

static int call_clock_nanosleep(void)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += SHORT_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int call_futex(void)
{
	return timed(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &short_time, NULL, 0), 0, ETIMEDOUT);
}

static int call_sigtimedwait(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR2);
	return timed(sigtimedwait(&set, NULL, &short_time), 0, EAGAIN);
}

static void make_sem(void)
{
	id = semget(IPC_PRIVATE, 1, 0600);
	if (id < 0)
		die("semget");
}

static int call_semtimedop(void)
{
	struct sembuf take = {0, -1, 0};

	return timed(semtimedop(id, &take, 1, &short_time), 0, EAGAIN);
}

static void drop_sem(void)
{
	(void)semctl(id, 0, IPC_RMID);
}

static void make_aio(void)
{
	if (syscall(SYS_io_setup, 1, &aio) < 0)
		die("io_setup");
}

static int call_io_getevents(void)
{
	struct io_event event;

	return timed(syscall(SYS_io_getevents, aio, 1, 1, &event, &short_time), 0, 0);
}

static void limit_sockets(int which)
{
	struct timeval time = {0, SHORT_NS / 1000};

	for (int i = 0; i < 2; i++) {
		if (setsockopt(fd[i], SOL_SOCKET, which, &time, sizeof(time)) < 0)
			die("setsockopt");
	}
}

static void make_recv(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		die("socketpair");
	limit_sockets(SO_RCVTIMEO);
}

static int call_recv(void)
{
	char c;

	return timed(recv(fd[0], &c, 1, 0), 0, EAGAIN);
}

static int call_read_socket(void)
{
	char c;

	return timed(read(fd[0], &c, 1), 0, EAGAIN);
}

static int call_preadv2_socket(void)
{
	char c;
	struct iovec part = {&c, 1};

	return timed(preadv2(fd[0], &part, 1, -1, 0), 0, EAGAIN);
}

static void make_splice(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0 || pipe(fd + 2) < 0)
		die("splice");
	limit_sockets(SO_RCVTIMEO);
}

static int call_splice(void)
{
	return timed(splice(fd[0], NULL, fd[3], NULL, 1, 0), 0, EAGAIN);
}

static void make_send(void)
{
	char block[4096] = {0};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) < 0)
		die("socketpair");
	while (send(fd[0], block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	limit_sockets(SO_SNDTIMEO);
}

static int call_send(void)
{
	char c = 0;

	return timed(send(fd[0], &c, 1, 0), 0, EAGAIN);
}

static struct sockaddr_un address_of(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder, name);
	return address;
}

static void make_accept(void)
{
	struct sockaddr_un address = address_of("accept");

	fd[0] = fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(fd[0], (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd[0], 0) < 0)
		die("listen");
	limit_sockets(SO_RCVTIMEO);
}

static int call_accept(void)
{
	return timed(accept(fd[0], NULL, NULL), 0, EAGAIN);
}

/* The listener's queue is full, so the next client waits in connect. */
static void make_connect(void)
{
	struct sockaddr_un address = address_of("connect");
	int filler = socket(AF_UNIX, SOCK_STREAM, 0);

	fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(fd[1], (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd[1], 0) < 0 ||
		connect(filler, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("connect");
	fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	limit_sockets(SO_SNDTIMEO);
}

static int call_connect(void)
{
	struct sockaddr_un address = address_of("connect");

	return timed(connect(fd[0], (struct sockaddr *)&address, sizeof(address)), 0, EAGAIN);
}

static void make_pipe(void)
{
	if (pipe(fd) < 0)
		die("pipe");
}

static int read_byte(void)
{
	char c;

	return got(read(fd[0], &c, 1), 1);
}

static void write_byte(void)
{
	if (write(fd[1], "x", 1) != 1)
		die("write");
}

static void make_eventfd(void)
{
	fd[0] = fd[1] = eventfd(0, 0);
}

static int call_eventfd(void)
{
	uint64_t value;

	return got(read(fd[0], &value, sizeof(value)), sizeof(value));
}

static void poke_eventfd(void)
{
	uint64_t one = 1;

	(void)!write(fd[1], &one, sizeof(one));
}

static void make_timerfd(void)
{
	fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
}

static int call_timerfd(void)
{
	const struct itimerspec once = {.it_value = short_time};
	uint64_t value;

	if (timerfd_settime(fd[0], 0, &once, NULL) < 0)
		die("timerfd_settime");
	return got(read(fd[0], &value, sizeof(value)), sizeof(value));
}

static void make_inotify(void)
{
	(void)snprintf(path, sizeof(path), "%s/watched", folder);
	fd[0] = inotify_init1(0);
	fd[1] = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd[1] < 0 || inotify_add_watch(fd[0], path, IN_MODIFY) < 0)
		die("inotify");
}

static int call_inotify(void)
{
	char event[4096];

	return read(fd[0], event, sizeof(event)) > 0 ? 0 : errno;
}

static void make_terminal(void)
{
	fd[1] = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd[1] < 0 || grantpt(fd[1]) < 0 || unlockpt(fd[1]) < 0)
		die("openpt");
	fd[0] = open(ptsname(fd[1]), O_RDWR | O_NOCTTY);
	if (fd[0] < 0)
		die("pts");
}

static int call_terminal(void)
{
	char c;

	return got(read(fd[0], &c, 1), 1);
}

static void poke_terminal(void)
{
	char echo[64];

	(void)!write(fd[1], "\n", 1);
	(void)!read(fd[1], echo, sizeof(echo));
}

struct letter {
	long type;
	char text[8];
};

static void make_msg(void)
{
	id = msgget(IPC_PRIVATE, 0600);
	if (id < 0)
		die("msgget");
}

static void drop_msg(void)
{
	(void)msgctl(id, IPC_RMID, NULL);
}

static int call_msgrcv(void)
{
	struct letter letter;

	return got(msgrcv(id, &letter, sizeof(letter.text), 0, 0), sizeof(letter.text));
}

static void poke_msgrcv(void)
{
	struct letter letter = {.type = 1};

	(void)msgsnd(id, &letter, sizeof(letter.text), IPC_NOWAIT);
}

static void make_msgsnd(void)
{
	struct letter letter = {.type = 1};

	make_msg();
	while (msgsnd(id, &letter, sizeof(letter.text), IPC_NOWAIT) == 0)
		;
}

static int call_msgsnd(void)
{
	struct letter letter = {.type = 1};

	return got(msgsnd(id, &letter, sizeof(letter.text), 0), 0);
}

static void poke_msgsnd(void)
{
	struct letter letter;

	(void)msgrcv(id, &letter, sizeof(letter.text), 0, IPC_NOWAIT);
}

static int call_wait4(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		work(100);
		_exit(0);
	}
	return got(wait4(pid, NULL, 0, NULL), pid);
}

static void make_lock(void)
{
	(void)snprintf(path, sizeof(path), "%s/lock", folder);
	fd[0] = open(path, O_CREAT | O_RDWR, 0600);
	fd[1] = open(path, O_RDWR);
	if (fd[1] < 0)
		die("lock");
}

static int call_flock(void)
{
	int r = got(flock(fd[0], LOCK_EX), 0);

	(void)flock(fd[0], LOCK_UN);
	return r;
}

static void poke_flock(void)
{
	if (flock(fd[1], LOCK_EX | LOCK_NB) == 0) {
		work(150);
		(void)flock(fd[1], LOCK_UN);
	}
}

static int call_fcntl(void)
{
	struct flock all = {.l_type = F_WRLCK};
	int r = got(fcntl(fd[0], F_OFD_SETLKW, &all), 0);

	all.l_type = F_UNLCK;
	(void)fcntl(fd[0], F_OFD_SETLKW, &all);
	return r;
}

static void poke_fcntl(void)
{
	struct flock all = {.l_type = F_WRLCK};

	if (fcntl(fd[1], F_OFD_SETLK, &all) == 0) {
		work(150);
		all.l_type = F_UNLCK;
		(void)fcntl(fd[1], F_OFD_SETLK, &all);
	}
}

static int call_sigwaitinfo(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR2);
	return got(sigwaitinfo(&set, NULL), SIGUSR2);
}

static void poke_sigwaitinfo(void)
{
	(void)pthread_kill(self, SIGUSR2);
}

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void make_handler(void)
{
	struct sigaction action = {.sa_handler = handle};

	(void)sigaction(SIGUSR1, &action, NULL);
}

/* pause() must end after a handler has run, and not before. */
static int call_pause(void)
{
	sig_atomic_t before = handled;

	atomic_store(&word, 1);
	(void)pause();
	atomic_store(&word, 0);
	return handled != before ? 0 : errno;
}

static void poke_pause(void)
{
	/* If the signal comes before pause() begins, the next signal ends pause(). */
	if (atomic_load(&word))
		(void)pthread_kill(self, SIGUSR1);
}

static void nothing(void)
{
}

static const struct scenario {
	const char *name;
	void (*make)(void);
	int (*call)(void);  /* 0, an errno, or -1: wrong */
	void (*poke)(void); /* wakes the call; run by the other thread from time to time */
	void (*drop)(void);
} scenarios[] = {
	{"epoll_wait", make_epoll, call_epoll_wait, NULL, nothing},
	{"epoll_pwait", make_epoll, call_epoll_pwait, NULL, nothing},
	{"epoll_pwait2", make_epoll, call_epoll_pwait2, NULL, nothing},
	{"poll", make_epoll, call_poll, NULL, nothing},
	{"ppoll", make_epoll, call_ppoll, NULL, nothing},
	{"ppoll_const", make_epoll, call_ppoll_const, NULL, nothing},
	{"select", make_epoll, call_select, NULL, nothing},
	{"nanosleep", nothing, call_nanosleep, NULL, nothing},
	{"clock_nanosleep", nothing, call_clock_nanosleep, NULL, nothing},
	{"futex", nothing, call_futex, NULL, nothing},
	{"sigtimedwait", nothing, call_sigtimedwait, NULL, nothing},
	{"semtimedop", make_sem, call_semtimedop, NULL, drop_sem},
	{"io_getevents", make_aio, call_io_getevents, NULL, nothing},
	{"recv_timeo", make_recv, call_recv, NULL, nothing},
	{"read_timeo", make_recv, call_read_socket, NULL, nothing},
	{"preadv2_timeo", make_recv, call_preadv2_socket, NULL, nothing},
	{"splice_timeo", make_splice, call_splice, NULL, nothing},
	{"send_timeo", make_send, call_send, NULL, nothing},
	{"accept_timeo", make_accept, call_accept, NULL, nothing},
	{"connect_timeo", make_connect, call_connect, NULL, nothing},
	{"pipe", make_pipe, read_byte, write_byte, nothing},
	{"eventfd", make_eventfd, call_eventfd, poke_eventfd, nothing},
	{"timerfd", make_timerfd, call_timerfd, NULL, nothing},
	{"inotify", make_inotify, call_inotify, write_byte, nothing},
	{"terminal", make_terminal, call_terminal, poke_terminal, nothing},
	{"msgrcv", make_msg, call_msgrcv, poke_msgrcv, drop_msg},
	{"msgsnd", make_msgsnd, call_msgsnd, poke_msgsnd, drop_msg},
	{"wait4", nothing, call_wait4, NULL, nothing},
	{"flock", make_lock, call_flock, poke_flock, nothing},
	{"fcntl", make_lock, call_fcntl, poke_fcntl, nothing},
	{"sigwaitinfo", nothing, call_sigwaitinfo, poke_sigwaitinfo, nothing},
	{"pause", make_handler, call_pause, poke_pause, nothing},
};

struct poker {
	void (*poke)(void);
	int signals[4], n;
};

static void *poke(void *context)
{
	const struct poker *poker = context;
	unsigned random = 7;

	for (unsigned i = 0; !atomic_load(&over); i++) {
		struct timespec pause_time = {0, 20000 + pick(&random) % 150 * 1000};

		(void)nanosleep(&pause_time, NULL);
		if (poker->poke)
			poker->poke();
		if (poker->n && i % 4 == 0)
			(void)pthread_kill(self, poker->signals[i / 4 % (unsigned)poker->n]);
	}
	return NULL;
}

static unsigned long run(const struct scenario *s, unsigned long calls, struct poker *poker)
{
	unsigned long eintr = 0, other = 0;
	unsigned random = 1;
	pthread_t thread;
	bool peer = s->poke || poker->n;

	poker->poke = s->poke;
	atomic_store(&over, false);
	s->make();
	if (peer && pthread_create(&thread, NULL, poke, poker))
		die("pthread_create");
	for (unsigned long i = 0; i < calls; i++) {
		int r;

		work(pick(&random) % 120);
		r = s->call();
		eintr += r == EINTR;
		other += r && r != EINTR;
	}
	atomic_store(&over, true);
	if (peer)
		(void)pthread_join(thread, NULL);
	s->drop();
	for (size_t i = 0; i < 4; i++) {
		if (fd[i] > 2)
			(void)close(fd[i]);
		fd[i] = 0;
	}
	(void)printf("%s calls %lu eintr %lu other %lu\n", s->name, calls, eintr, other);
	(void)fflush(stdout);
	return eintr + other;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int signal;
	} known[] = {{"chld", SIGCHLD}, {"winch", SIGWINCH}, {"cont", SIGCONT}, {"urg", SIGURG}};
	struct poker poker = {0};
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000, bad = 0;
	sigset_t set;

	self = pthread_self();
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGUSR2);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 3; i < argc; i++) {
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			if (strcmp(argv[i], known[k].name) == 0 && poker.n < 4)
				poker.signals[poker.n++] = known[k].signal;
		}
	}
	if (argc < 2 || !mkdtemp(folder))
		die("usage: eintr NAME CALLS [SIGNAL...]");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		if (strcmp(argv[1], "all") == 0 || strcmp(argv[1], scenarios[i].name) == 0)
			bad += run(&scenarios[i], calls, &poker);
	}
	for (size_t i = 0; i < 4; i++) {
		static const char *const made[] = {"watched", "lock", "accept", "connect"};

		(void)snprintf(path, sizeof(path), "%s/%s", folder, made[i]);
		(void)unlink(path);
	}
	(void)rmdir(folder);
	return bad != 0;
}
