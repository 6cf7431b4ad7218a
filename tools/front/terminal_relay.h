/* SPDX-License-Identifier: MIT */
/*
 * A pseudo-terminal for the command of another user (-u). On our terminal, that user could type
 * into our shell (TIOCSTI), read what is typed after the command's end, and change the modes. The
 * tracer leads the session of the pseudo-terminal. The process that the shell knows relays keys and
 * output between the two terminals (own_session.h). Standard streams that are not our terminal
 * (files, pipes) are passed to the command as they are.
 *
 * What is relayed depends on which of our stdin and stdout is our terminal:
 *
 * 	both		All keys. Our terminal is raw. The command's terminal does the editing, the
 * 			echo, ^C and ^Z.
 * 	stdout only	No keys, only output. If our stdin is a pipe, the program that writes into
 * 			that pipe may read keys from our terminal.
 * 	stdin only	All keys but ^C and ^Z, one by one. Our terminal makes signals of ^C and ^Z,
 * 			for our process group, which may be a pipeline. These signals are passed on.
 */
#ifndef TOOLS_FRONT_TERMINAL_RELAY_H
#define TOOLS_FRONT_TERMINAL_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

/* The keys that are read from our terminal and passed on. */
enum terminal_relay_mode {
	RELAY_ALL,    /* all keys */
	RELAY_KEYS,   /* all keys except those that send signals */
	RELAY_OUTPUT, /* no keys */
};

struct terminal_relay {
	bool used;
	enum terminal_relay_mode mode;
	struct termios saved; /* original modes of our terminal */
	bool set;             /* our terminal has the modes of @mode, not those of @saved */
	bool ended;           /* the command has ended: our terminal keeps the modes of @saved */
	bool stops;           /* the command has stopped */
	int terminal;         /* descriptor of our terminal */
	int master, slave;    /* of the command's terminal; slave is -1 in the relaying process */
	int peer;             /* a socket to the other process */
	int streams[3];       /* the command's standard streams, in the process that traces */
	char keys[4096];      /* typed, not yet passed on */
	size_t keys_n;
};

/*
 * Opens a pseudo-terminal. False: *@ret_error is -errno if this failed; it is 0 if no standard
 * stream is a terminal.
 */
bool terminal_relay_open(struct terminal_relay *relay, int *ret_error);

/*
 * For the tracer: begins a session on the command's terminal, and makes @uid the owner of that
 * terminal.
 */
void terminal_relay_lead(struct terminal_relay *relay, uid_t uid);
/*
 * Returns the command's standard streams: those of @streams (NULL: 0, 1, 2), but the command's
 * terminal in place of our terminal. Valid as long as @relay.
 */
const int *terminal_relay_streams(struct terminal_relay *relay, const int *streams);
/*
 * Tells the process that the shell knows that the command has stopped. The caller, which is the
 * tracer, must stop next.
 */
void terminal_relay_tell_stop(const struct terminal_relay *relay);
/*
 * For the tracer: waits until the command's output so far is relayed. @ended: the command has
 * ended, so keys are no longer relayed, and our terminal keeps its original modes. Otherwise the
 * command lives on, and keys are still relayed, except those that send signals.
 */
void terminal_relay_finish(const struct terminal_relay *relay, bool ended);

/*
 * The rest is for the process that the shell knows. It calls begin() first, wait() for each signal,
 * leave() before it stops, and end() last.
 */
void terminal_relay_begin(struct terminal_relay *relay);
/* Relays until one of @signals, which must be blocked, arrives. */
void terminal_relay_wait(
	struct terminal_relay *relay, const sigset_t *signals, siginfo_t *ret_info);
/* Restores our terminal's modes, until the next terminal_relay_wait() in the foreground. */
void terminal_relay_leave(struct terminal_relay *relay);
/* Passes on what the command has written, and leaves the terminal for good. */
void terminal_relay_end(struct terminal_relay *relay);

#endif
