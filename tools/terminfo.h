/* SPDX-License-Identifier: MIT */
/* The description of the terminal, for a process that can open no files later. */
#ifndef TOOLS_TERMINFO_H
#define TOOLS_TERMINFO_H

/*
 * Looks @type up as ncurses does (terminfo(5)) and leaves the description in the environment, in
 * the form "hex:…" of the variable TERMINFO, where ncurses finds it. -ENOENT: it is not there.
 */
int terminfo_keep(const char *type);

#endif
