/* SPDX-License-Identifier: MIT */
/* A profile of a histogram that a program took of itself (profile/monout.h), with names. */
#ifndef ANALYST_HISTOGRAM_H
#define ANALYST_HISTOGRAM_H

#include "profile/monout.h"

struct profile;
struct symbolizer_options;

/*
 * Each counter becomes samples at the middle of its text in the ELF file @program, which is an
 * absolute path, named by that file's symbols and debug information. -ENOMEM; -EINVAL:
 * *@ret_problem, a constant, says what is wrong with @program or the two of them together. The
 * caller frees the profile.
 */
int histogram_profile(const struct monout *monout, const char *program,
	const struct symbolizer_options *options, struct profile **ret_profile,
	const char **ret_problem);

#endif
