/* SPDX-License-Identifier: MIT */
/* The title of a report or export: what was profiled. */
#ifndef VIEW_TITLE_H
#define VIEW_TITLE_H

#include <stdbool.h>

struct profile;

/*
 * Returns the title, which the caller frees; NULL: out of memory. It is the command; if that is
 * unknown, the first process; otherwise the first mapping, which is the executable in a pprof file.
 * If @files, more than one, were merged, it is "3 files: xz a, xz b", each command once; if the
 * profile was merged before: "merged: xz a, xz b". Characters that are not printable are replaced,
 * with @ascii also those beyond ASCII.
 */
char *title_of(const struct profile *profile, unsigned files, bool ascii);

/*
 * Returns the name of the program's file if it differs from the name in the command:
 * "redis-check-rdb" of "redis-server", which is a link to it, or "dash" of "./script.sh". NULL: the
 * names are alike ("python3.11" of "python3"), one is unknown, or there are several processes.
 */
const char *title_executable(const struct profile *profile);

#endif
