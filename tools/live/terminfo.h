/* SPDX-License-Identifier: MIT */
/* The terminal's description, for a process that will lose the right to open files. */
#ifndef TOOLS_LIVE_TERMINFO_H
#define TOOLS_LIVE_TERMINFO_H

/*
 * Finds @type as ncurses does (terminfo(5)), and keeps the description in the environment, as
 * TERMINFO=hex:…, where ncurses looks first. 0 or -errno; -ENOENT: not found.
 */
int terminfo_keep(const char *type);

#endif
