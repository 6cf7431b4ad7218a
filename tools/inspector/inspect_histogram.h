/* SPDX-License-Identifier: MIT */
/* Asks sprofil-inspector for the profile of a mon.out (profile/monout.h), with names. */
#ifndef TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H
#define TOOLS_INSPECTOR_INSPECT_HISTOGRAM_H

struct profile;

/*
 * Reads the profile of the file @path, a mon.out of @program, the path of an ELF file. -errno, and
 * *ret_problem is a sentence that says what is wrong with which of them, or NULL if out of memory.
 * 0 and a sentence, otherwise NULL: why names are missing. The caller frees both.
 */
int inspect_histogram(
	const char *path, const char *program, struct profile **ret_profile, char **ret_problem);

#endif
