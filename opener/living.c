/* SPDX-License-Identifier: MIT */
#include "opener/living.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * Has the thread ended? "7 (a) b) Z 1 ...": the state is behind the last parenthesis; Z: a zombie,
 * X: about to disappear.
 */
static bool has_ended(uint32_t pid, uint32_t tid)
{
	char path[48], text[512];
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, tid);
	(void)text_read_file(AT_FDCWD, path, text, sizeof(text));
	at = strrchr(text, ')');
	return !at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X';
}

uint32_t living_thread(uint32_t pid)
{
	struct dirent *entry;
	uint32_t found = 0;
	char path[32];
	DIR *tasks;

	if (!has_ended(pid, pid))
		return pid;
	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid && tid != pid && !has_ended(pid, tid))
			found = tid;
	}
	if (tasks)
		(void)closedir(tasks);
	return found ? found : pid;
}
