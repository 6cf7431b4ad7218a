/* SPDX-License-Identifier: MIT */
#ifndef VIEW_TITLE_H
#define VIEW_TITLE_H

#include <stdbool.h>

struct profile;

/*
 * Returns the title of a report or export, which the caller frees; NULL: out of memory. It is the
 * command, else the first process, else the first mapping (in a pprof file the executable). If
 * @files (more than one) were merged: "3 files: xz a, xz b", each command once; if the profile was
 * merged before: "merged: xz a, xz b". Unprintable characters are replaced, with @ascii also those
 * beyond ASCII.
 */
char *title_of(const struct profile *profile, unsigned files, bool ascii);

/*
 * The name of the program's file if it differs from that in the command: "redis-check-rdb" of
 * "redis-server", a link to it; "dash" of "./script.sh". NULL: the names are alike ("python3.11" of
 * "python3"), one is unknown, or there are several processes.
 */
const char *title_executable(const struct profile *profile);

#endif
