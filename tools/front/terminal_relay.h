/* SPDX-License-Identifier: MIT */
/*
 * A terminal for the command of another user (-u). On ours, that user could type into our shell
 * (TIOCSTI), read what is typed after the command, and change the modes. So the command gets a
 * pseudo-terminal, in a session led by the process that traces. The process that the shell knows
 * relays keys and output (own_session.h). Standard streams other than our terminal (files, pipes)
 * are the command's own.
 *
 * Which of our stdin and stdout is our terminal?
 *
 * 	both		our terminal is raw; the command's terminal does the editing, the echo, ^C
 * 			and ^Z
 * 	stdout only	no key is read from our terminal: the program that feeds our pipe may read
 * 			from it
 * 	stdin only	keys are passed on one by one; ^C and ^Z go to our process group, which may
 * 			be a pipeline, and are passed on as signals
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
	bool set;             /* our terminal has the relay's modes */
	bool ended;           /* the command has ended: our terminal keeps its own modes */
	bool stops;           /* the command has stopped */
	int terminal;         /* descriptor of our terminal */
	int master, slave;    /* of the command's terminal; slave is -1 in the relaying process */
	int peer;             /* a socket to the other process */
	int streams[3];       /* the command's standard streams, in the process that traces */
	char keys[4096];      /* typed, not yet passed on */
	size_t keys_n;
};

/* Opens a pseudo-terminal. False: *@ret_error is -errno, or 0: no standard stream is a terminal. */
bool terminal_relay_open(struct terminal_relay *relay, int *ret_error);

/* The tracer: becomes leader of a session on the command's terminal, whose owner becomes @uid. */
void terminal_relay_lead(struct terminal_relay *relay, uid_t uid);
/* Returns @streams (NULL: 0, 1, 2), the command's terminal for ours. Valid as long as @relay. */
const int *terminal_relay_streams(struct terminal_relay *relay, const int *streams);
/* Says to the other process that the command has stopped, and that this process will stop, too. */
void terminal_relay_tell_stop(const struct terminal_relay *relay);
/* Waits for the command's last output. @ended: our terminal gets its own modes back for good. */
void terminal_relay_finish(const struct terminal_relay *relay, bool ended);

/* From here on: for the process that the shell knows, to be called in this order. */
void terminal_relay_begin(struct terminal_relay *relay);
/* Relays until one of @signals, which must be blocked, arrives. */
void terminal_relay_wait(
	struct terminal_relay *relay, const sigset_t *signals, siginfo_t *ret_info);
/* Restores our terminal's modes, until the next terminal_relay_wait() in the foreground. */
void terminal_relay_leave(struct terminal_relay *relay);
/* Passes on what the command has written, and leaves the terminal for good. */
void terminal_relay_end(struct terminal_relay *relay);

#endif
