/* SPDX-License-Identifier: MIT */
/* Gets debug files through sprofil-debuginfod. */
#ifndef TOOLS_INSPECTOR_DEBUGINFOD_H
#define TOOLS_INSPECTOR_DEBUGINFOD_H

struct waiting_line;

/* Exit statuses of sprofil-debuginfod. */
enum debuginfod_end {
	DEBUGINFOD_USAGE = 2,
	DEBUGINFOD_NO_URLS = 3,
	DEBUGINFOD_NOT_FOUND = 4,
	DEBUGINFOD_TIME_OUT = 5,
	DEBUGINFOD_FAILED = 6,
};

/*
 * Downloads the debug file of @build_id, which belongs to the file at @path, into libdebuginfod's
 * cache. 0, or -errno, and *ret_problem is a constant sentence. @progress may be NULL.
 */
int debuginfod_fetch(struct waiting_line *progress, const char *path, const char *build_id,
	const char **ret_problem);

#endif
