/* SPDX-License-Identifier: MIT */
/*
 * A terminal for the command of another user (-u). With ours, that user could type into our shell
 * (TIOCSTI), read what is typed after the command, and change the modes. So the command gets a
 * pseudo-terminal, in a session whose leader is the process that traces it. The process that the
 * shell knows passes on what is typed and what is written (own_session.h). Standard streams that
 * are not our terminal (files, pipes) are the command's own, and nothing is passed on.
 *
 * Which of our stdin and stdout is our terminal?
 *
 *	both		our terminal is raw; the command's terminal does the editing, the echo, ^C
 *			and ^Z
 *	stdout only	no key is read from our terminal: the program that feeds our pipe may read
 *			from it
 *	stdin only	keys are passed on one by one; ^C and ^Z go to our process group, which may
 *			be a pipeline, and are passed on as signals
 */
#ifndef TOOLS_FRONT_TERMINAL_RELAY_H
#define TOOLS_FRONT_TERMINAL_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

enum terminal_relay_mode {
	RELAY_ALL,    /* all keys */
	RELAY_KEYS,   /* all keys except those that send signals */
	RELAY_OUTPUT, /* no keys */
};

struct terminal_relay {
	bool used;
	enum terminal_relay_mode mode;
	struct termios saved; /* modes of our terminal before */
	bool set;             /* our terminal has the relay's modes */
	bool ended;        /* the command has ended: our terminal keeps its own modes from now on */
	bool stops;        /* the command has stopped */
	int terminal;      /* descriptor of our terminal */
	int master, slave; /* of the command's terminal; slave -1 in the process that relays */
	int peer;          /* a socket to the other process */
	int streams[3];    /* the command's standard streams, in the process that traces */
	char keys[4096];   /* typed, but not yet passed on */
	size_t keys_n;
};

/*
 * Opens a pseudo-terminal for the command. False: with *@ret_error 0, no standard stream is a
 * terminal, and there is nothing to relay; with -errno, there can be no pseudo-terminal.
 */
bool terminal_relay_open(struct terminal_relay *relay, int *ret_error);

/*
 * In the process that traces: becomes the leader of a session on the command's terminal, which gets
 * the owner @uid, the command's user.
 */
void terminal_relay_lead(struct terminal_relay *relay, uid_t uid);
/*
 * Returns the command's standard streams: those of @streams (NULL: 0, 1, 2), with the command's
 * terminal in place of ours. Valid as long as @relay.
 */
const int *terminal_relay_streams(struct terminal_relay *relay, const int *streams);
/* Tells the other process that the command has stopped, and that this process will stop, too. */
void terminal_relay_tell_stop(const struct terminal_relay *relay);
/*
 * At the end of the profiling: waits until what the command wrote has arrived in our terminal.
 * @ended: the command has ended, and our terminal gets its own modes back for good.
 */
void terminal_relay_finish(const struct terminal_relay *relay, bool ended);

/* The functions from here on are for the process that the shell knows, called in this order. */
void terminal_relay_begin(struct terminal_relay *relay);
/* Relays until one of @signals, which must be blocked, arrives. */
void terminal_relay_wait(
	struct terminal_relay *relay, const sigset_t *signals, siginfo_t *ret_info);
/*
 * Gives our terminal its own modes. The next terminal_relay_wait() in the foreground sets the modes
 * for the relay again.
 */
void terminal_relay_leave(struct terminal_relay *relay);
/* Leaves the terminal for good, after passing on what the command has written. */
void terminal_relay_end(struct terminal_relay *relay);

#endif
