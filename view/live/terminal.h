/* SPDX-License-Identifier: MIT */
/* Paints screens on a terminal, and reads its keys and mouse. The only file that knows ncurses. */
#ifndef VIEW_LIVE_TERMINAL_H
#define VIEW_LIVE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "view/live/live.h"
#include "view/live/screen.h"

struct terminal;

/*
 * Takes over the terminal @in and @out (borrowed). @type: its type; NULL: that of the environment's
 * TERM. @suspends: the terminal sends SIGTSTP for ^Z; otherwise ^Z is a key. A process can have
 * only one struct terminal at a time, and all calls must come from one thread. 0, -ENOMEM;
 * -ENOTSUP: the type is unknown, or cannot position the cursor. Close it with terminal_close().
 */
int terminal_open(const char *type, FILE *out, FILE *in, bool color, bool suspends,
	struct terminal **ret_terminal);
/* Restores the terminal, and frees @terminal; NULL is allowed. */
void terminal_close(struct terminal *terminal);

/*
 * terminal_leave() releases the terminal temporarily. terminal_return() takes it back and paints
 * the content again. Modes that others have set since terminal_open() are kept. In between, only
 * terminal_resize() and terminal_close() may be called.
 */
void terminal_leave(struct terminal *terminal);
void terminal_return(struct terminal *terminal);

/*
 * Paints a screen. Blocks while the terminal accepts no output. @anew: paints all cells, not only
 * those that changed.
 */
void terminal_paint(struct terminal *terminal, const struct screen *screen, bool anew);

/* Notes the terminal's new size. */
void terminal_resize(struct terminal *terminal, unsigned rows, unsigned columns);

/* Reads the next key; false: there is none yet. Does not block. */
bool terminal_key(struct terminal *terminal, struct live_key *ret_key);

#endif
