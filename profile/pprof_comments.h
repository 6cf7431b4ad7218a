/* SPDX-License-Identifier: MIT */
/* Comments of a pprof file for programs of other projects, which print all of them at the top. */
#ifndef PROFILE_PPROF_COMMENTS_H
#define PROFILE_PPROF_COMMENTS_H

struct profile;

enum { PPROF_COMMENTS_MOST = 5 };

/*
 * Makes up to PPROF_COMMENTS_MOST comments: the command, a line with the main audit figures, the
 * first notes, and how many notes are left. Returns their number or -ENOMEM; the caller frees each.
 */
int pprof_comments(const struct profile *profile, char **ret_comment);

#endif
