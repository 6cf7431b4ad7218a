/* SPDX-License-Identifier: MIT */
/* The description of the terminal, for a process that cannot open files later. */
#ifndef TOOLS_LIVE_TERMINFO_H
#define TOOLS_LIVE_TERMINFO_H

/*
 * Looks up @type like ncurses (terminfo(5)) and stores the description in the environment, in the
 * form "hex:…" of the variable TERMINFO, where ncurses finds it. -ENOENT: not found.
 */
int terminfo_keep(const char *type);

#endif
