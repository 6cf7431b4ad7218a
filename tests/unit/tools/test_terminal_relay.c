/* SPDX-License-Identifier: MIT */
/*
 * A command behind a relay, in a pseudo-terminal that stands for the user's. The test types and
 * reads as the user, and only the relay answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/front/terminal_relay.h"

enum { PATIENCE_MS = 30000, SCREEN = 1 << 17, LINES = 2000 };

struct user {
	int keys;     /* the user's end: keys go in, what is shown comes out */
	int terminal; /* the relay's end, of which the modes are read */
	struct termios before;
	pid_t front;
	char shown[SCREEN];
	size_t n;
};

typedef void command(struct terminal_relay *relay, const int *streams);

static void say(const int *streams, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t put = write(streams[1], text, n);

		if (put <= 0)
			exit(40);
		text += put;
		n -= (size_t)put;
	}
}

/* As sprofrun -u: this process relays, and a child stands for the one that traces. */
static void front(command *run, bool keeps_stdin)
{
	static struct terminal_relay relay;
	sigset_t child;
	siginfo_t info;
	int error, status, none;
	pid_t pid, seen;

	if (!keeps_stdin) {
		none = open("/dev/null", O_RDONLY);
		(void)dup2(none, 0);
	}
	if (!terminal_relay_open(&relay, &error))
		exit(41);
	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, NULL);
	pid = fork();
	if (pid == 0) {
		terminal_relay_lead(&relay, getuid());
		run(&relay, terminal_relay_streams(&relay, NULL));
		terminal_relay_finish(&relay, true);
		exit(0);
	}
	terminal_relay_begin(&relay);
	do {
		terminal_relay_wait(&relay, &child, &info);
		seen = waitpid(pid, &status, WNOHANG | WUNTRACED);
		if (seen == pid && WIFSTOPPED(status)) {
			terminal_relay_leave(&relay);
			(void)dprintf(relay.terminal, relay.stops ? "it stops" : "it was stopped");
			(void)kill(pid, SIGCONT);
		}
	} while (seen != pid || WIFSTOPPED(status));
	terminal_relay_end(&relay);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 42);
}

static struct termios modes_of(const struct user *user)
{
	struct termios modes;

	assert_int_equal(tcgetattr(user->terminal, &modes), 0);
	return modes;
}

static struct user *start(command *run, bool keeps_stdin)
{
	static struct user user;
	const struct winsize size = {.ws_row = 31, .ws_col = 77};

	user = (struct user){.keys = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
	assert_true(user.keys >= 0 && grantpt(user.keys) == 0 && unlockpt(user.keys) == 0);
	user.terminal = open(ptsname(user.keys), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(user.terminal >= 0);
	user.before = modes_of(&user);
	assert_int_equal(ioctl(user.keys, TIOCSWINSZ, &size), 0);
	user.front = fork();
	assert_true(user.front >= 0);
	if (user.front == 0) {
		(void)setsid();
		(void)ioctl(user.terminal, TIOCSCTTY, 0);
		for (int i = 0; i < 3; i++)
			(void)dup2(user.terminal, i);
		(void)close(user.terminal);
		(void)close(user.keys);
		front(run, keeps_stdin);
	}
	return &user;
}

static void type(const struct user *user, const char *keys)
{
	assert_int_equal(write(user->keys, keys, strlen(keys)), strlen(keys));
}

static void shows(struct user *user, const char *text)
{
	while (!strstr(user->shown, text)) {
		struct pollfd readable = {.fd = user->keys, .events = POLLIN};
		ssize_t n;

		assert_int_equal(poll(&readable, 1, PATIENCE_MS), 1);
		n = read(user->keys, user->shown + user->n, SCREEN - 1 - user->n);
		assert_true(n > 0);
		user->n += (size_t)n;
	}
}

/* The exit status is @wanted, and the terminal's modes are those of the start. */
static void ends(struct user *user, int wanted)
{
	struct termios after;
	int status;

	assert_int_equal(waitpid(user->front, &status, 0), user->front);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), wanted);
	assert_int_equal(tcgetattr(user->terminal, &after), 0);
	assert_int_equal(after.c_lflag, user->before.c_lflag);
	assert_int_equal(after.c_iflag, user->before.c_iflag);
	assert_int_equal(after.c_oflag, user->before.c_oflag);
	(void)close(user->terminal);
	(void)close(user->keys);
}

static void read_line(struct terminal_relay *relay, const int *streams)
{
	struct winsize size;
	char line[32] = "", text[96];

	(void)relay;
	say(streams, "ready\n");
	if (read(streams[0], line, sizeof(line) - 1) <= 0 ||
		ioctl(streams[0], TIOCGWINSZ, &size) < 0 || tcgetsid(streams[0]) != getpid())
		exit(43);
	line[strcspn(line, "\n")] = 0;
	(void)snprintf(text, sizeof(text), "<%s> %ux%u\n", line, size.ws_row, size.ws_col);
	say(streams, text);
}

/* The command's own terminal makes each newline CR LF once, and echoes each key once. */
static void test_relay__keys_are_edited_in_the_commands_terminal(void **state)
{
	struct user *user = start(read_line, true);

	(void)state;
	shows(user, "ready\r\n");
	assert_int_equal(modes_of(user).c_lflag & (ICANON | ECHO | ISIG), 0);
	type(user, "ab\177cd\r");
	shows(user, "<acd> 31x77\r\n");
	assert_string_equal(user->shown, "ready\r\nab\b \bcd\r\n<acd> 31x77\r\n");
	ends(user, 0);
}

static void wait_for_size(struct terminal_relay *relay, const int *streams)
{
	struct winsize size = {0};
	sigset_t winch;
	siginfo_t info;

	(void)relay;
	(void)sigemptyset(&winch);
	(void)sigaddset(&winch, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &winch, NULL);
	say(streams, "ready\n");
	if (sigwaitinfo(&winch, &info) != SIGWINCH || ioctl(streams[1], TIOCGWINSZ, &size) < 0)
		exit(43);
	exit(size.ws_col == 90 ? 9 : 44);
}

static void test_relay__a_new_size_is_told(void **state)
{
	struct user *user = start(wait_for_size, true);
	const struct winsize size = {.ws_row = 20, .ws_col = 90};

	(void)state;
	shows(user, "ready");
	assert_int_equal(ioctl(user->keys, TIOCSWINSZ, &size), 0);
	ends(user, 9);
}

static void fall_by_key(struct terminal_relay *relay, const int *streams)
{
	(void)relay;
	(void)signal(SIGINT, SIG_DFL);
	say(streams, "ready\n");
	for (;;)
		(void)pause();
}

/* ^C is a signal in the command's terminal: only the command gets it. */
static void test_relay__an_interrupt_reaches_the_command(void **state)
{
	struct user *user = start(fall_by_key, true);

	(void)state;
	shows(user, "ready");
	type(user, "\3");
	ends(user, 42);
}

static void read_a_file(struct terminal_relay *relay, const int *streams)
{
	char byte;

	(void)relay;
	exit(read(streams[0], &byte, 1) == 0 && streams[0] == 0 ? 7 : 43);
}

/* Stdin is a file, so another program may read the terminal: no key is taken, no mode changed. */
static void test_relay__without_stdin_no_key_is_taken(void **state)
{
	struct user *user = start(read_a_file, false);
	char line[8] = "";

	(void)state;
	type(user, "mine\r");
	assert_int_equal(read(user->terminal, line, sizeof(line)), 5);
	assert_string_equal(line, "mine\n");
	ends(user, 7);
}

static void stop_and_go_on(struct terminal_relay *relay, const int *streams)
{
	char line[8];

	terminal_relay_tell_stop(relay);
	(void)raise(SIGSTOP);
	terminal_relay_finish(relay, false);
	say(streams, "goes on\n");
	exit(read(streams[0], line, sizeof(line)) == 2 ? 5 : 43);
}

/* A command that runs on unprofiled still gets the keys, but ^C interrupts us. */
static void test_relay__a_command_that_goes_on_is_relayed(void **state)
{
	struct user *user = start(stop_and_go_on, true);

	(void)state;
	shows(user, "it stops");
	shows(user, "goes on");
	assert_true(modes_of(user).c_lflag & ISIG);
	type(user, "y\n");
	ends(user, 5);
}

static void write_much(struct terminal_relay *relay, const int *streams)
{
	char line[32];

	(void)relay;
	for (int i = 0; i < LINES; i++) {
		(void)snprintf(line, sizeof(line), "line %d of many\n", i);
		say(streams, line);
	}
}

static void test_relay__all_that_was_written_arrives(void **state)
{
	struct user *user = start(write_much, true);
	char line[32], *at = user->shown;

	(void)state;
	(void)snprintf(line, sizeof(line), "line %d of many\r\n", LINES - 1);
	shows(user, line);
	for (int i = 0; i < LINES; i++) {
		int n = snprintf(line, sizeof(line), "line %d of many\r\n", i);

		assert_memory_equal(at, line, (size_t)n);
		at += n;
	}
	assert_int_equal(*at, 0);
	ends(user, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_relay__keys_are_edited_in_the_commands_terminal),
		cmocka_unit_test(test_relay__a_new_size_is_told),
		cmocka_unit_test(test_relay__an_interrupt_reaches_the_command),
		cmocka_unit_test(test_relay__without_stdin_no_key_is_taken),
		cmocka_unit_test(test_relay__a_command_that_goes_on_is_relayed),
		cmocka_unit_test(test_relay__all_that_was_written_arrives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
