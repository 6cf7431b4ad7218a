/* SPDX-License-Identifier: MIT */
#include "supervisor/os/pidfd.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/os/procfs.h"
#include "supervisor/os/window.h"

/* A process with more descriptors is not searched to the end: each costs some 2 us. */
#define DESCRIPTORS_MOST 1024

int pidfd_parse(const char *text)
{
	static const char field[] = "\nPid:\t";
	const char *at = strstr(text, field);
	int pid;

	return at && sscanf(at + sizeof(field) - 1, "%d", &pid) == 1 ? pid : -EPROTO;
}

/* Is the link of a descriptor that of a pidfd: "anon_inode:[pidfd]", or "pidfd:[…" from Linux 6.9?
 */
static bool is_pidfd(int holder, int fd)
{
	char path[64], target[32];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", holder, fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(target, "anon_inode:[pidfd]") == 0 || strncmp(target, "pidfd:[", 7) == 0;
}

static bool refers_to(int holder, int fd, int pid)
{
	char path[64], *text;
	bool found;

	(void)snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", holder, fd);
	text = procfs_read_text(path);
	found = text && pidfd_parse(text) == pid;
	free(text);
	return found;
}

int pidfd_find(int holder, int pid)
{
	const struct dirent *entry;
	int found = -ENOENT;
	unsigned seen = 0;
	char path[32];
	DIR *folder;

	window_forbid("reading a folder");
	(void)snprintf(path, sizeof(path), "/proc/%d/fd", holder);
	folder = opendir(path);
	if (!folder)
		return -errno;
	while (found < 0 && seen < DESCRIPTORS_MOST && (entry = readdir(folder))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		seen++;
		if (is_pidfd(holder, fd) && refers_to(holder, fd, pid))
			found = fd;
	}
	(void)closedir(folder);
	return found == -ENOENT && !seen ? -ESRCH : found;
}
