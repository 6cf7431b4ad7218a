/* SPDX-License-Identifier: MIT */
/* Paints screens on a terminal, and reads its keys and mouse. The one file that knows ncurses. */
#ifndef VIEW_TERMINAL_H
#define VIEW_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "view/live.h"
#include "view/screen.h"

struct terminal;

/*
 * Takes over the terminal that @in and @out are (they stay the caller's), of the type @type (NULL:
 * TERM). One at a time in a process; all calls must come from one thread. -ENOTSUP: there is no
 * description of it, or it cannot place the cursor.
 */
int terminal_open(
	const char *type, FILE *out, FILE *in, bool color, struct terminal **ret_terminal);
/* Gives it back as it was. */
void terminal_close(struct terminal *terminal);

/*
 * Gives it back for a while, to whoever has it meanwhile, and takes it again, with all that was on
 * it. Modes that somebody else has set since are left as they are. In between nothing else of this
 * may be called but terminal_resize() and terminal_close().
 */
void terminal_leave(struct terminal *terminal);
void terminal_return(struct terminal *terminal);

/* May block as long as the terminal takes no output. @anew: all of it, whatever is there. */
void terminal_paint(struct terminal *terminal, const struct screen *screen, bool anew);

/* The terminal has this size now. */
void terminal_resize(struct terminal *terminal, unsigned rows, unsigned columns);

/* The next key, if one has been typed. Does not block. */
bool terminal_key(struct terminal *terminal, struct live_key *ret_key);

#endif
