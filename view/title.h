/* SPDX-License-Identifier: MIT */
#ifndef VIEW_TITLE_H
#define VIEW_TITLE_H

#include <stdbool.h>

struct profile;

/*
 * Returns the title of a report or export, which the caller frees; NULL: out of memory. The title
 * is the command. Without a command it is the first process, else the first mapping (in a pprof
 * file the executable). If @files is more than one, their number and their commands, each command
 * once: "3 files: xz a, xz b". If the profile is itself a merged one: "merged: xz a, xz b".
 * Unprintable characters are replaced, with @ascii also those beyond ASCII.
 */
char *title_of(const struct profile *profile, unsigned files, bool ascii);

/*
 * Returns the name of the program's file if its process was called by another one. "redis-server"
 * may be a link to "redis-check-rdb", and "dash" runs "./script.sh". NULL: the file's name begins
 * like the command's ("python3.11" and "python3"), one of the names is unknown, or the profile has
 * several processes.
 */
const char *title_executable(const struct profile *profile);

#endif
