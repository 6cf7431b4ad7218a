/* SPDX-License-Identifier: MIT */
/* Keys as terminals send them, on a pseudo-terminal. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/live/terminal.h"

struct typing {
	struct terminal *terminal;
	FILE *slave;
	int master;
};

static int begin_on(void **state, const char *type, bool suspends)
{
	static struct typing typing;
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	*state = &typing;
	if (master < 0 || grantpt(master) || unlockpt(master))
		return -1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size))
		return -1;
	typing = (struct typing){.slave = fdopen(slave, "r+"), .master = master};
	if (!typing.slave)
		return -1;
	/* If terminfo does not know this terminal, the tests are skipped. */
	(void)terminal_open(type, typing.slave, typing.slave, false, suspends, &typing.terminal);
	return 0;
}

static int begin(void **state)
{
	return begin_on(state, "xterm", false);
}

static int begin_vt100(void **state)
{
	return begin_on(state, "vt100", false);
}

static int begin_suspending(void **state)
{
	return begin_on(state, "xterm", true);
}

static int end(void **state)
{
	struct typing *t = *state;

	terminal_close(t->terminal);
	if (t->slave)
		(void)fclose(t->slave);
	(void)close(t->master);
	return 0;
}

/* Types @bytes. Returns the number of keys; @key gets the first eight. */
static size_t type(struct typing *t, const char *bytes, int32_t key[8])
{
	struct pollfd fd = {.fd = fileno(t->slave), .events = POLLIN};
	struct live_key one;
	size_t n = 0;

	if (!t->terminal)
		skip();
	assert_int_equal(write(t->master, bytes, strlen(bytes)), strlen(bytes));
	assert_int_equal(poll(&fd, 1, 10000), 1);
	while (n < 8 && terminal_key(t->terminal, &one))
		key[n++] = one.code;
	return n;
}

/* Closes the slave and reads all that was sent to it. */
static void read_to_end(struct typing *t, char *to, size_t room)
{
	size_t at = 0;
	ssize_t n;

	(void)fclose(t->slave);
	t->slave = NULL;
	while ((n = read(t->master, to + at, room - 1 - at)) > 0)
		at += (size_t)n;
	to[at] = '\0';
}

static void assert_key(struct typing *t, const char *bytes, int32_t expected)
{
	int32_t key[8];

	assert_int_equal(type(t, bytes, key), 1);
	assert_int_equal(key[0], expected);
}

/* End and Home have several sequences; terminfo often has only one of each. */
static void test_terminal__home_and_end_of_other_terminals(void **state)
{
	struct typing *t = *state;

	assert_key(t, "\033[4~", LIVE_KEY_END);
	assert_key(t, "\033[8~", LIVE_KEY_END);
	assert_key(t, "\033[F", LIVE_KEY_END);
	assert_key(t, "\033OF", LIVE_KEY_END);
	assert_key(t, "\033[1~", LIVE_KEY_HOME);
	assert_key(t, "\033[7~", LIVE_KEY_HOME);
	assert_key(t, "\033[H", LIVE_KEY_HOME);
	assert_key(t, "\033[A", LIVE_KEY_UP);
	assert_key(t, "\033[Z", LIVE_KEY_BACK_TAB);
}

/* '[' and 'O' are keys, but not within another key's sequence. */
static void test_terminal__unknown_sequences_are_no_keys(void **state)
{
	static const char *const unknown[] = {
		"\033[25~", "\033[200~", "\033[1;2R", "\033[?1;2c", "\033[I", "\033[90;5u"};
	struct typing *t = *state;
	int32_t key[8];

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		assert_int_equal(type(t, unknown[i], key), 0);
	assert_key(t, "[", '[');
	assert_key(t, "O", 'O');
	assert_int_equal(type(t, "\033[25~]", key), 1);
	assert_int_equal(key[0], ']');
}

static void test_terminal__escape_is_a_key(void **state)
{
	struct typing *t = *state;
	int32_t key[8];

	assert_key(t, "\033", LIVE_KEY_ESCAPE);
	assert_int_equal(type(t, "\033q", key), 2);
	assert_int_equal(key[0], LIVE_KEY_ESCAPE);
	assert_int_equal(key[1], 'q');
	assert_int_equal(type(t, "\033\033", key), 2);
	assert_int_equal(key[1], LIVE_KEY_ESCAPE);
}

/* On a slow line a key's bytes arrive one by one. */
static void test_terminal__a_sequence_may_arrive_in_pieces(void **state)
{
	struct typing *t = *state;
	int32_t key[8];

	assert_int_equal(type(t, "\033[", key), 0);
	assert_int_equal(type(t, "4", key), 0);
	assert_key(t, "~", LIVE_KEY_END);
	assert_key(t, "4", '4');
}

/* Without a second screen, the view stays, except for the last line, where the shell goes on. */
static void test_terminal__one_screen_is_left_with_a_clean_last_line(void **state)
{
	struct typing *t = *state;
	struct screen screen = {0};
	char out[8192];
	char *help;

	if (!t->terminal)
		skip();
	assert_int_equal(screen_resize(&screen, 24, 80), 0);
	(void)screen_put(&screen, 23, 1, 40, STYLE_TEXT, "F1 Help");
	terminal_paint(t->terminal, &screen, false);
	screen_release(&screen);
	terminal_close(t->terminal);
	t->terminal = NULL;
	read_to_end(t, out, sizeof(out));
	help = strstr(out, "F1 Help");
	assert_non_null(help);
	/* The line is erased from its first column on, or the screen from there. */
	assert_true(strstr(help, "\r\033[K") || strstr(help, "\r\033[J"));
	assert_null(strstr(help + strlen("F1 Help"), "Help"));
}

static void assert_modes(struct typing *t, bool suspends)
{
	struct termios modes;

	if (!t->terminal)
		skip();
	assert_int_equal(tcgetattr(fileno(t->slave), &modes), 0);
	assert_int_equal(modes.c_lflag & ICANON, 0);
	assert_int_equal(!!(modes.c_lflag & ISIG), suspends);
	if (suspends)
		assert_int_equal(modes.c_cc[VSUSP], 'Z' & 0x1f);
}

/* ^Z is a signal, also after leaving and returning; ^C and ^\ are keys. */
static void test_terminal__suspends_at_control_z_alone(void **state)
{
	struct typing *t = *state;

	assert_modes(t, true);
	assert_key(t, "\3", 3);
	assert_key(t, "\34", 28);
	terminal_leave(t->terminal);
	terminal_return(t->terminal);
	assert_modes(t, true);
	assert_key(t, "\3", 3);
}

static void test_terminal__else_control_z_is_a_key(void **state)
{
	assert_modes(*state, false);
	assert_key(*state, "\32", 26);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_terminal__home_and_end_of_other_terminals, begin, end),
		cmocka_unit_test_setup_teardown(
			test_terminal__unknown_sequences_are_no_keys, begin, end),
		cmocka_unit_test_setup_teardown(test_terminal__escape_is_a_key, begin, end),
		cmocka_unit_test_setup_teardown(
			test_terminal__suspends_at_control_z_alone, begin_suspending, end),
		cmocka_unit_test_setup_teardown(test_terminal__else_control_z_is_a_key, begin, end),
		cmocka_unit_test_setup_teardown(
			test_terminal__a_sequence_may_arrive_in_pieces, begin, end),
		cmocka_unit_test_setup_teardown(
			test_terminal__one_screen_is_left_with_a_clean_last_line, begin_vt100, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
