/* SPDX-License-Identifier: MIT */
/*
 * The terminal, on a thread of its own: it may be slow or take nothing at all, and nobody waits for
 * it. Screens go to it by way of a copy, of which the newest counts; keys come through a pipe.
 */
#ifndef TOOLS_LIVE_SCREEN_H
#define TOOLS_LIVE_SCREEN_H

#include <stdbool.h>

#include "view/live.h"

struct live_screen;

/* Codes that come as keys besides those of live.h: the size (row, column) is new; the terminal is
 * gone. */
enum { LIVE_SCREEN_RESIZED = 0x120000, LIVE_SCREEN_GONE };

/*
 * Takes over the terminal: standard output, keys from standard input if that is it too, else from
 * the controlling terminal. While the job is stopped, or in the background, the terminal is left to
 * others. SIGWINCH, SIGTSTP and SIGCONT must be blocked in all threads. -ENOTTY; -ENOTSUP: a
 * terminal that cannot be painted on.
 */
int live_screen_open(bool color, int in_fd, struct live_screen **ret_screen);
/* Gives the terminal back. False: it takes nothing, also after a second. NULL is fine. */
bool live_screen_close(struct live_screen *screen);

/* Where keys can be waited for. */
int live_screen_fd(const struct live_screen *screen);
bool live_screen_key(struct live_screen *screen, struct live_key *ret_key);

/* Its size at the opening. */
void live_screen_size(const struct live_screen *screen, unsigned *ret_rows, unsigned *ret_columns);

/* To be painted as soon as the terminal can. -ENOMEM. */
int live_screen_show(struct live_screen *screen, const struct screen *model, bool anew);

/* A line that is shown if work goes on for longer than a moment; NULL: it is over. From any thread.
 */
void live_screen_busy(struct live_screen *screen, const char *what);

#endif
