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
 * Takes over the terminal @in and @out (borrowed), of the type @type (NULL: TERM). One at a time
 * per process; all calls must come from one thread. -ENOTSUP: the type is unknown, or cannot
 * position the cursor.
 */
int terminal_open(
	const char *type, FILE *out, FILE *in, bool color, struct terminal **ret_terminal);
/* Restores the terminal. */
void terminal_close(struct terminal *terminal);

/*
 * Releases the terminal temporarily, and takes it back, with its content. Modes set by others
 * meanwhile are kept. In between, only terminal_resize() and terminal_close() may be called.
 */
void terminal_leave(struct terminal *terminal);
void terminal_return(struct terminal *terminal);

/*
 * Paints a screen. Blocks while the terminal accepts no output. @anew: paints everything, whatever
 * is there.
 */
void terminal_paint(struct terminal *terminal, const struct screen *screen, bool anew);

/* Takes over the terminal's new size. */
void terminal_resize(struct terminal *terminal, unsigned rows, unsigned columns);

/* Reads the next key, if there is one. Does not block. */
bool terminal_key(struct terminal *terminal, struct live_key *ret_key);

#endif
