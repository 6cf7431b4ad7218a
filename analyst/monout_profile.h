/* SPDX-License-Identifier: MIT */
/* Converts a histogram that a program wrote about itself (profile/monout.h) to a profile. */
#ifndef ANALYST_MONOUT_PROFILE_H
#define ANALYST_MONOUT_PROFILE_H

#include "profile/monout.h"

struct profile;
struct symbolizer_options;

/*
 * Makes the profile of @monout. Each counter becomes samples at the middle of the code that it
 * covers, in the ELF file @program (an absolute path). 0: the caller frees the profile; -ENOMEM;
 * -EINVAL: *@ret_problem, a constant string, says what is wrong with @program, or that @monout is
 * of another program.
 */
int monout_profile(const struct monout *monout, const char *program,
	const struct symbolizer_options *options, struct profile **ret_profile,
	const char **ret_problem);

#endif
