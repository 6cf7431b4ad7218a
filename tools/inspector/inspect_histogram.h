/* SPDX-License-Identifier: MIT */
/*
 * Asks sprofil-inspector for the profile in a mon.out (profile/monout.h), with names of functions.
 */
#ifndef TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H
#define TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H

struct profile;

/*
 * Reads the profile of the file @path, a mon.out of @program, the path of an ELF file. 0:
 * *ret_problem is NULL, or a sentence that says why names are missing. -errno: *ret_problem says
 * what is wrong with which of the two files; NULL: out of memory. The caller frees profile and
 * sentence.
 */
int inspect_histogram(
	const char *path, const char *program, struct profile **ret_profile, char **ret_problem);

#endif
