/* SPDX-License-Identifier: MIT */
/* Gets debug files through sprofil-debuginfod. */
#ifndef TOOLS_INSPECTOR_DEBUGINFOD_H
#define TOOLS_INSPECTOR_DEBUGINFOD_H

struct waiting_line;

/* sprofil-debuginfod's exit statuses. */
enum debuginfod_end {
	DEBUGINFOD_USAGE = 2,
	DEBUGINFOD_NO_URLS = 3,
	DEBUGINFOD_NOT_FOUND = 4,
	DEBUGINFOD_TIME_OUT = 5,
	DEBUGINFOD_FAILED = 6,
};

/*
 * Downloads the debug file for the file @path with @build_id into libdebuginfod's cache. 0, or
 * -errno; *@ret_problem is then a constant sentence. @progress may be NULL.
 */
int debuginfod_fetch(struct waiting_line *progress, const char *path, const char *build_id,
	const char **ret_problem);

#endif
