/* SPDX-License-Identifier: MIT */
#include "tools/processes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/procfs.h"

static bool is_called(int pid, const char *name)
{
	char text[PATH_MAX];
	const char *slash;

	procfs_read_name(pid, pid, text);
	if (text[0] && strcmp(text, name) == 0)
		return true;
	procfs_read_exe(pid, text, sizeof(text));
	slash = strrchr(text, '/');
	return slash && strcmp(slash + 1, name) == 0;
}

int processes_by_name(const char *name, int **pids, size_t *n)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name), *more;

		if (pid <= 0 || pid == getpid() || !is_called(pid, name))
			continue;
		more = realloc(*pids, (*n + 1) * sizeof(**pids));
		if (!more) {
			r = -ENOMEM;
			break;
		}
		*pids = more;
		(*pids)[(*n)++] = pid;
	}
	(void)closedir(dir);
	return r;
}
