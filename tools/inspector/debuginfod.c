/* SPDX-License-Identifier: MIT */
#include "tools/inspector/debuginfod.h"

#include <errno.h>
#include <string.h>

#include "base/libexec.h"
#include "base/waiting_line.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Shows the progress of a line such as "progress 1000 5000". */
static void tell(struct waiting_line *progress, const char *line, const char *path)
{
	char what[64];
	long done, all;

	if (!progress || sscanf(line, "progress %ld %ld", &done, &all) != 2 || all <= 0)
		return;
	(void)snprintf(what, sizeof(what), "debuginfod: %.40s", base_of(path));
	waiting_line_show(progress, what, done < all ? (double)done / (double)all : 1);
}

static int judge(int status, const char **ret_problem)
{
	switch (status) {
	case 0: return 0;
	case DEBUGINFOD_NO_URLS:
		*ret_problem = "no debuginfod server is named: export "
			       "DEBUGINFOD_URLS=https://debuginfod.debian.net";
		return -EDESTADDRREQ;
	case DEBUGINFOD_NOT_FOUND:
		*ret_problem = "no debuginfod server has its debug file";
		return -ENOENT;
	case DEBUGINFOD_TIME_OUT:
		*ret_problem = "the debuginfod server takes too long (DEBUGINFOD_TIMEOUT, "
			       "DEBUGINFOD_MAXTIME)";
		return -ETIMEDOUT;
	default:
		*ret_problem = "the debuginfod server cannot be reached (DEBUGINFOD_URLS)";
		return -EIO;
	}
}

int debuginfod_fetch(struct waiting_line *progress, const char *path, const char *build_id,
	const char **ret_problem)
{
	char program[PATH_MAX], what[64], line[256];
	char *argv[] = {program, (char *)build_id, NULL};
	FILE *out;
	pid_t pid;

	if (!libexec_find("sprofil-debuginfod", program)) {
		*ret_problem = "this was built without libdebuginfod (Debian: libdebuginfod-dev)";
		return -ENOTSUP;
	}
	if (progress) {
		(void)snprintf(what, sizeof(what), "debuginfod: %.40s", base_of(path));
		waiting_line_say(progress, what);
	}
	if (libexec_read(argv, -1, true, &out, &pid) < 0) {
		*ret_problem = "sprofil-debuginfod cannot be started";
		return -EIO;
	}
	while (fgets(line, sizeof(line), out))
		tell(progress, line, path);
	return judge(libexec_end(out, pid), ret_problem);
}
