/* SPDX-License-Identifier: MIT */
/*
 * The terminal, in a thread of its own, as it may be slow or blocked: nothing waits for it. Screens
 * are passed as copies, of which only the newest counts; keys come through a pipe.
 */
#ifndef TOOLS_LIVE_LIVE_SCREEN_H
#define TOOLS_LIVE_LIVE_SCREEN_H

#include <stdbool.h>

#include "view/live/live.h"

struct live_screen;

/* Codes that are no keys: the terminal's size has changed; the terminal is gone. */
enum { LIVE_SCREEN_RESIZED = 0x120000, LIVE_SCREEN_GONE };

/*
 * Takes over the terminal: draws on stdout, reads keys from @in_fd, which live_screen_close()
 * closes unless it is stdin. Leaves the terminal while the job is stopped or in the background.
 * @suspends: ^Z sends SIGTSTP instead of being a key. SIGWINCH, SIGTSTP and SIGCONT must be blocked
 * in all threads. 0 or -errno; -ENOTTY; -ENOTSUP: the terminal cannot be painted on.
 */
int live_screen_open(bool color, bool suspends, int in_fd, struct live_screen **ret_screen);
/* Restores the terminal. False: it was still blocked after a second. @screen may be NULL. */
bool live_screen_close(struct live_screen *screen);

/* Returns a descriptor that is readable when a key is available. */
int live_screen_fd(const struct live_screen *screen);
bool live_screen_key(struct live_screen *screen, struct live_key *ret_key);

/* Returns the terminal's size when it was opened. */
void live_screen_size(const struct live_screen *screen, unsigned *ret_rows, unsigned *ret_columns);

/* Paints @model when the terminal accepts output; @anew: unchanged cells, too. 0 or -ENOMEM. */
int live_screen_show(struct live_screen *screen, const struct screen *model, bool anew);

/* Shows @what is being done if that takes longer than 0.3 s; NULL: it is done. For any thread. */
void live_screen_busy(struct live_screen *screen, const char *what);

#endif
