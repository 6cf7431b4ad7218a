/* SPDX-License-Identifier: MIT */
/* The terminal's description, for a process that will lose the right to open files. */
#ifndef TOOLS_LIVE_TERMINFO_H
#define TOOLS_LIVE_TERMINFO_H

/*
 * Finds the description of @type as ncurses does (terminfo(5)). Keeps it in the environment
 * variable TERMINFO, as "hex:…"; ncurses reads this variable first. 0 or -errno; -ENOENT: not
 * found.
 */
int terminfo_keep(const char *type);

#endif
