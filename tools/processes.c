/* SPDX-License-Identifier: MIT */
#include "tools/processes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/os/procfs.h"

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

/* Nothing of it is left but its status: all its threads have ended. */
static bool has_ended(int pid)
{
	int *tids = NULL;
	size_t n = 0, room = 0, left = 0;

	if (procfs_read_threads(pid, &tids, &n, &room) == 0) {
		for (size_t i = 0; i < n; i++)
			left += !procfs_is_zombie(tids[i]);
	}
	free(tids);
	return !left;
}

int processes_by_name(const char *name, int **pids, size_t *n, size_t *ret_ended)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int r = 0;

	*ret_ended = 0;
	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name), *more;

		if (pid <= 0 || pid == getpid() || !is_called(pid, name))
			continue;
		if (has_ended(pid)) {
			++*ret_ended;
			continue;
		}
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
