/* SPDX-License-Identifier: MIT */
/*
 * Paints screens on the terminal, and reads its keys, in a thread of its own. The terminal may be
 * slow or blocked; only this thread waits for it. The caller passes screens as copies, of which
 * only the newest is painted. Keys come through a pipe.
 */
#ifndef TOOLS_LIVE_LIVE_SCREEN_H
#define TOOLS_LIVE_LIVE_SCREEN_H

#include <stdbool.h>

#include "view/live/live.h"

struct live_screen;

/*
 * Codes that the caller gets like keys. RESIZED: the terminal has another size. GONE: there is no
 * terminal any more.
 */
enum { LIVE_SCREEN_RESIZED = 0x120000, LIVE_SCREEN_GONE };

/*
 * Takes over the terminal: draws on stdout, reads keys from @in_fd. live_screen_close() closes
 * @in_fd unless it is stdin's. Leaves the terminal while the job is stopped or in the background.
 * @suspends: the key ^Z sends SIGTSTP; otherwise it is a key like others. SIGWINCH, SIGTSTP and
 * SIGCONT must be blocked in all threads. 0 or -errno; -ENOTTY: stdout is no terminal, or @in_fd
 * cannot be read; -ENOTSUP: the terminal's type is unknown, or cannot position the cursor.
 */
int live_screen_open(bool color, bool suspends, int in_fd, struct live_screen **ret_screen);
/* Restores the terminal. False: it was still blocked after a second. @screen may be NULL. */
bool live_screen_close(struct live_screen *screen);

/* Returns a descriptor that is readable when a key is available. */
int live_screen_fd(const struct live_screen *screen);
bool live_screen_key(struct live_screen *screen, struct live_key *ret_key);

/* Returns the terminal's size when it was opened. */
void live_screen_size(const struct live_screen *screen, unsigned *ret_rows, unsigned *ret_columns);

/*
 * Paints @model as soon as the terminal accepts output. @anew: paints unchanged cells, too. 0 or
 * -ENOMEM.
 */
int live_screen_show(struct live_screen *screen, const struct screen *model, bool anew);

/*
 * Announces the work @what, which is shown if the work takes longer than 0.3 s. NULL: the work is
 * done. Any thread may call this.
 */
void live_screen_busy(struct live_screen *screen, const char *what);

#endif
