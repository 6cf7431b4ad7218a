/* SPDX-License-Identifier: MIT */
/*
 * Converts a histogram that a program took of itself (profile/monout.h) to a profile, with names.
 */
#ifndef ANALYST_MONOUT_PROFILE_H
#define ANALYST_MONOUT_PROFILE_H

#include "profile/monout.h"

struct profile;
struct symbolizer_options;

/*
 * Each counter becomes samples at the middle of its text in the ELF file @program, an absolute
 * path, with names from that file's symbols and debug information. -ENOMEM; -EINVAL: *@ret_problem,
 * a constant, says what is wrong with @program or that the two do not match. The caller frees the
 * profile.
 */
int monout_profile(const struct monout *monout, const char *program,
	const struct symbolizer_options *options, struct profile **ret_profile,
	const char **ret_problem);

#endif
