/* SPDX-License-Identifier: MIT */
#include "supervisor/os/pidfd.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/descriptor.h"
#include "supervisor/os/procfs.h"
#include "supervisor/os/window.h"

/*
 * A search examines at most this many descriptors (some 2 us each), and at most this many pidfds
 * among them (some 8 us more each).
 */
#define DESCRIPTORS_MOST 4096
#define PIDFDS_MOST      64

int pidfd_parse(const char *text)
{
	static const char field[] = "\nPid:\t";
	const char *at = strstr(text, field);
	int pid;

	return at && sscanf(at + sizeof(field) - 1, "%d", &pid) == 1 ? pid : -EPROTO;
}

/* Is the descriptor a pidfd? Its link is then "anon_inode:[pidfd]", from Linux 6.9 "pidfd:[…". */
static bool is_pidfd(int holder, int fd)
{
	return descriptor_is(holder, fd, "anon_inode:[pidfd]", "pidfd:[");
}

static bool refers_to(int holder, int fd, int pid)
{
	char *text = procfs_read_text("/proc/%d/fdinfo/%d", holder, fd);
	bool found = text && pidfd_parse(text) == pid;

	free(text);
	return found;
}

bool pidfd_is_of(int holder, int fd, int pid)
{
	return is_pidfd(holder, fd) && refers_to(holder, fd, pid);
}

int pidfd_find(int holder, int pid)
{
	unsigned seen = 0, pidfds = 0;
	const struct dirent *entry;
	char path[32];
	DIR *folder;
	int found = -1;

	window_forbid("reading a folder");
	(void)snprintf(path, sizeof(path), "/proc/%d/fd", holder);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? -ESRCH : -errno;
	while (found < 0 && seen < DESCRIPTORS_MOST && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		seen++;
		if (!is_pidfd(holder, fd))
			continue;
		if (++pidfds > PIDFDS_MOST)
			found = PIDFD_MANY;
		else if (refers_to(holder, fd, pid))
			found = fd;
	}
	(void)closedir(folder);
	if (found >= 0)
		return found;
	return pidfds ? -ENXIO : seen ? -ENOENT : -ESRCH;
}
