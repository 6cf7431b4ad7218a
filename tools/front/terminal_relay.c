/* SPDX-License-Identifier: MIT */
#include "tools/front/terminal_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

/* Interval of checks, in the background, whether we are in the foreground again. */
#define BACKGROUND_NS 200000000
enum message { MESSAGE_STOPS = 's', MESSAGE_GOES_ON = 'g', MESSAGE_ENDED = 'e' };

static bool is_same(int fd, int terminal)
{
	struct stat a, b;

	return isatty(fd) && fstat(fd, &a) == 0 && fstat(terminal, &b) == 0 &&
		a.st_rdev == b.st_rdev;
}

/*
 * Opens, to read and write, the terminal of the first standard stream that is a terminal. Returns
 * the descriptor; -1: no standard stream is a terminal.
 */
static int open_terminal(void)
{
	char path[32];
	int fd;

	for (int i = 0; i < 3; i++) {
		if (!isatty(i))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
		return fd < 0 ? fcntl(i, F_DUPFD_CLOEXEC, 3) : fd;
	}
	return -1;
}

static void copy_size(const struct terminal_relay *relay)
{
	struct winsize size;

	if (ioctl(relay->terminal, TIOCGWINSZ, &size) == 0)
		(void)ioctl(relay->master, TIOCSWINSZ, &size);
}

bool terminal_relay_open(struct terminal_relay *relay, int *ret_error)
{
	struct termios modes;
	int pair[2], number;
	char path[32];

	*relay = (struct terminal_relay){.terminal = open_terminal(), .slave = -1};
	*ret_error = 0;
	if (relay->terminal < 0 || tcgetattr(relay->terminal, &relay->saved) < 0)
		return false;
	relay->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (relay->master < 0 || grantpt(relay->master) < 0 || unlockpt(relay->master) < 0 ||
		ioctl(relay->master, TIOCGPTN, &number) < 0)
		goto failed;
	/*
	 * TIOCGPTPEER (from Linux 4.13 on) is better than the name: in this mount namespace, the
	 * name may belong to another terminal.
	 */
	relay->slave = ioctl(relay->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	(void)snprintf(path, sizeof(path), "/dev/pts/%d", number);
	if (relay->slave < 0)
		relay->slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (relay->slave < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		goto failed;
	relay->peer = pair[0];
	relay->streams[0] = pair[1];
	if (is_same(STDIN_FILENO, relay->terminal))
		relay->mode = is_same(STDOUT_FILENO, relay->terminal) ? RELAY_ALL : RELAY_KEYS;
	else
		relay->mode = RELAY_OUTPUT;
	modes = relay->saved;
	/*
	 * Only one of the two terminals may turn "\n" into "\r\n". Our terminal does, unless it is
	 * raw, as in RELAY_ALL.
	 */
	if (relay->mode != RELAY_ALL)
		modes.c_oflag &= ~(tcflag_t)OPOST;
	(void)tcsetattr(relay->slave, TCSANOW, &modes);
	copy_size(relay);
	relay->used = true;
	return true;
failed:
	*ret_error = -errno;
	return false;
}

void terminal_relay_lead(struct terminal_relay *relay, uid_t uid)
{
	(void)close(relay->peer);
	(void)close(relay->master);
	relay->peer = relay->streams[0];
	(void)setsid();
	(void)ioctl(relay->slave, TIOCSCTTY, 0);
	(void)!fchown(relay->slave, uid, (gid_t)-1);
}

const int *terminal_relay_streams(struct terminal_relay *relay, const int *streams)
{
	for (int i = 0; i < 3; i++) {
		int fd = streams ? streams[i] : i;

		relay->streams[i] = is_same(fd, relay->terminal) ? relay->slave : fd;
	}
	return relay->streams;
}

static void tell(const struct terminal_relay *relay, enum message message)
{
	char byte = (char)message;

	(void)send(relay->peer, &byte, 1, MSG_NOSIGNAL);
}

void terminal_relay_tell_stop(const struct terminal_relay *relay)
{
	tell(relay, MESSAGE_STOPS);
}

void terminal_relay_finish(const struct terminal_relay *relay, bool ended)
{
	char byte;

	tell(relay, ended ? MESSAGE_ENDED : MESSAGE_GOES_ON);
	(void)recv(relay->peer, &byte, 1, 0);
}

void terminal_relay_begin(struct terminal_relay *relay)
{
	sigset_t size;

	(void)close(relay->slave);
	(void)close(relay->streams[0]);
	relay->slave = -1;
	(void)sigemptyset(&size);
	(void)sigaddset(&size, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &size, NULL);
}

static bool is_in_front(const struct terminal_relay *relay)
{
	pid_t group = tcgetpgrp(relay->terminal);

	return group < 0 || group == getpgrp();
}

static void enter(struct terminal_relay *relay)
{
	struct termios modes = relay->saved;

	relay->set = true;
	if (relay->mode == RELAY_OUTPUT)
		return;
	cfmakeraw(&modes);
	if (relay->mode == RELAY_KEYS) {
		modes.c_lflag |= relay->saved.c_lflag & ISIG;
		modes.c_oflag = relay->saved.c_oflag;
		modes.c_iflag = relay->saved.c_iflag;
	}
	(void)tcsetattr(relay->terminal, TCSADRAIN, &modes);
}

void terminal_relay_leave(struct terminal_relay *relay)
{
	if (relay->set && relay->mode != RELAY_OUTPUT && is_in_front(relay))
		(void)tcsetattr(relay->terminal, TCSADRAIN, &relay->saved);
	relay->set = false;
}

/* Turns "\r\n" into "\n": our terminal adds the "\r" again. */
static size_t undo_line_ends(char *text, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] != '\r' || i + 1 == n || text[i + 1] != '\n')
			text[left++] = text[i];
	return left;
}

/* Passes on one read of the command's output. False: there is none now, or none will come. */
static bool pass_output(const struct terminal_relay *relay)
{
	char text[4096];
	ssize_t n = read(relay->master, text, sizeof(text));

	if (n <= 0)
		return false;
	/* In the background our terminal is not raw: it adds a "\r" to each "\n" itself. */
	if (relay->mode == RELAY_ALL && !relay->set)
		n = (ssize_t)undo_line_ends(text, (size_t)n);
	(void)whole_write(relay->terminal, text, (size_t)n, -1);
	return true;
}

static void pass_keys(struct terminal_relay *relay)
{
	ssize_t put = write(relay->master, relay->keys, relay->keys_n);

	if (put < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	for (size_t i = put > 0 ? (size_t)put : relay->keys_n; i < relay->keys_n; i++)
		relay->keys[i - (size_t)put] = relay->keys[i];
	relay->keys_n -= put > 0 ? (size_t)put : relay->keys_n;
}

static void take_keys(struct terminal_relay *relay)
{
	ssize_t n = read(relay->terminal, relay->keys, sizeof(relay->keys));

	if (n > 0)
		relay->keys_n = (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		relay->mode = RELAY_OUTPUT; /* the terminal has hung up */
}

static void take_message(struct terminal_relay *relay)
{
	char byte;

	if (recv(relay->peer, &byte, 1, MSG_DONTWAIT) != 1)
		return;
	if (byte == MESSAGE_STOPS) {
		relay->stops = true;
		return;
	}
	while (pass_output(relay))
		;
	terminal_relay_leave(relay);
	/*
	 * From now on sprofil prints on our terminal, too, so the terminal must not be raw: it must
	 * add "\r" itself. If the command lives on, keys are still passed on.
	 */
	if (byte == MESSAGE_ENDED)
		relay->ended = true;
	else if (relay->mode == RELAY_ALL)
		relay->mode = RELAY_KEYS;
	tell(relay, (enum message)byte);
}

static void relay_once(struct terminal_relay *relay, int signals)
{
	enum { SIGNALS, TERMINAL, MASTER, PEER, ALL };
	bool front = is_in_front(relay), reads;
	struct timespec again = {.tv_nsec = BACKGROUND_NS};
	struct pollfd fds[ALL];

	if (front && !relay->set && !relay->ended)
		enter(relay);
	relay->set &= front;
	reads = front && !relay->ended && relay->mode != RELAY_OUTPUT && !relay->keys_n;
	fds[SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
	fds[TERMINAL] = (struct pollfd){.fd = reads ? relay->terminal : -1, .events = POLLIN};
	fds[MASTER] = (struct pollfd){
		.fd = relay->master, .events = (short)(POLLIN | (relay->keys_n ? POLLOUT : 0))};
	fds[PEER] = (struct pollfd){.fd = relay->peer, .events = POLLIN};
	if (ppoll(fds, ALL, front || relay->ended ? NULL : &again, NULL) <= 0)
		return;
	if (fds[MASTER].revents & (POLLIN | POLLHUP))
		/* Nothing left to read, and no process has the command's terminal open. */
		if (!pass_output(relay) && fds[MASTER].revents & POLLHUP) {
			(void)close(relay->master);
			relay->master = -1;
		}
	if (fds[TERMINAL].revents)
		take_keys(relay);
	if (relay->keys_n)
		pass_keys(relay);
	if (fds[PEER].revents & POLLIN)
		take_message(relay);
}

void terminal_relay_wait(struct terminal_relay *relay, const sigset_t *signals, siginfo_t *ret_info)
{
	const struct timespec now = {0};
	sigset_t all = *signals;
	int fd;

	(void)sigaddset(&all, SIGWINCH);
	fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		int signal = sigtimedwait(&all, ret_info, &now);

		if (signal > 0 && signal != SIGWINCH) {
			/*
			 * If the tracer has stopped with its command, it sent a message before it
			 * stopped. Takes that message now, so that the caller knows the kind of
			 * stop (@relay->stops).
			 */
			take_message(relay);
			break;
		}
		if (signal == SIGWINCH)
			copy_size(relay);
		relay_once(relay, fd);
	}
	(void)close(fd);
}

void terminal_relay_end(struct terminal_relay *relay)
{
	while (pass_output(relay))
		;
	terminal_relay_leave(relay);
	relay->ended = true;
}
