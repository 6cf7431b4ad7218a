/* SPDX-License-Identifier: MIT */
/*
 * Reads the profile in a mon.out (profile/monout.h) and the names of its functions, through
 * sprofil-inspector.
 */
#ifndef TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H
#define TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H

struct profile;

/*
 * Reads the file @path, a mon.out of the ELF file @program. 0: success; *@ret_problem is NULL, or a
 * sentence that says why names are missing. -errno: *@ret_problem is a sentence that says which of
 * the two files is wrong and why, or NULL if memory is short. The caller frees profile and
 * sentence.
 */
int inspect_histogram(
	const char *path, const char *program, struct profile **ret_profile, char **ret_problem);

#endif
