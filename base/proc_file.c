/* SPDX-License-Identifier: MIT */
#include "base/proc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int proc_file_read(char *to, size_t room, const char *format, ...)
{
	char path[PATH_MAX]; /* that of a container's cgroup may be long */
	va_list args;
	ssize_t n;
	int fd, r;

	va_start(args, format);
	(void)vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, to, room - 1, 0);
	r = n < 0 ? -errno : (int)n;
	if (fd >= 0)
		(void)close(fd);
	to[r < 0 ? 0 : r] = '\0';
	return r;
}

const char *proc_file_value(const char *text, const char *name)
{
	size_t bytes = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++) {
		if ((at == text || at[-1] == '\n') && at[bytes] == ':')
			return at + bytes + 1 + strspn(at + bytes + 1, " \t");
	}
	return NULL;
}

uint64_t proc_file_number(const char *text, const char *name, int base)
{
	const char *value = proc_file_value(text, name);

	return value ? strtoull(value, NULL, base) : 0;
}

int proc_file_last_number(const char *text, const char *name, int otherwise)
{
	const char *value = proc_file_value(text, name);
	int last = otherwise;

	for (; value && *value >= '0' && *value <= '9'; value += strspn(value, "\t"))
		last = (int)strtol(value, (char **)&value, 10);
	return last;
}

/* In "7 (a) b) Z 1 ...", the state is behind the last parenthesis. Z: zombie; X: disappearing. */
static bool has_ended(int pid, int tid)
{
	char text[512];
	const char *at;

	(void)proc_file_read(text, sizeof(text), "/proc/%d/task/%d/stat", pid, tid);
	at = strrchr(text, ')');
	return !at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X';
}

int proc_file_living_thread(int pid)
{
	struct dirent *entry;
	char path[32];
	int found = 0;
	DIR *tasks;

	if (!has_ended(pid, pid))
		return pid;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks))) {
		int tid = atoi(entry->d_name);

		if (tid > 0 && tid != pid && !has_ended(pid, tid))
			found = tid;
	}
	if (tasks)
		(void)closedir(tasks);
	return found ? found : pid;
}
