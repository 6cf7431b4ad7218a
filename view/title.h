/* SPDX-License-Identifier: MIT */
/* The title of a report or export: what was profiled. */
#ifndef VIEW_TITLE_H
#define VIEW_TITLE_H

#include <stdbool.h>

struct profile;

/*
 * The command; without one the first process; otherwise the first mapping, which is the executable
 * in a pprof file. Of @files that were merged, if more than one: "3 files: xz a, xz b", each
 * command once; of a profile that was merged before: "merged: xz a, xz b". Characters that are not
 * printable are replaced, with @ascii also those beyond ASCII. The caller frees the result. NULL:
 * out of memory.
 */
char *title_of(const struct profile *profile, unsigned files, bool ascii);

/*
 * The file of the program, if its name is another one than that by which the program was called:
 * "redis-check-rdb" of "redis-server", which is a link to it, or "dash" of "./script.sh". NULL: the
 * names are alike ("python3.11" of "python3"), one is unknown, or there are several processes.
 */
const char *title_executable(const struct profile *profile);

#endif
