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
 * Takes over the terminal @in and @out (borrowed). @type: the terminal's type; NULL: the variable
 * TERM has it. @suspends: ^Z sends SIGTSTP instead of being a key. A process may have one struct
 * terminal at a time, used by one thread. 0; -ENOMEM; -ENOTSUP: the type is unknown, or cannot
 * position the cursor.
 */
int terminal_open(const char *type, FILE *out, FILE *in, bool color, bool suspends,
	struct terminal **ret_terminal);
/* Restores the terminal, and frees @terminal, which may be NULL. */
void terminal_close(struct terminal *terminal);

/*
 * terminal_leave() releases the terminal temporarily. Terminal modes that another process has set
 * since terminal_open() stay as that process set them. terminal_return() takes the terminal back,
 * and repaints. In between, only terminal_resize() and terminal_close() may be called.
 */
void terminal_leave(struct terminal *terminal);
void terminal_return(struct terminal *terminal);

/* Paints changed cells; with @anew, all cells. Blocks while the terminal accepts no output. */
void terminal_paint(struct terminal *terminal, const struct screen *screen, bool anew);

void terminal_resize(struct terminal *terminal, unsigned rows, unsigned columns);

/* Reads the next key, without blocking. False: there is none yet. */
bool terminal_key(struct terminal *terminal, struct live_key *ret_key);

#endif
