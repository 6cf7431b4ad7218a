/* SPDX-License-Identifier: MIT */
#include "tools/front/containers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc_file.h"
#include "supervisor/os/procfs.h"

#define DOCKER "/var/lib/docker/containers"

enum { ID_MOST = CGROUP_ID_BYTES - 1, FILE_MOST = 1 << 18 };

bool containers_is_id(const char *text)
{
	size_t n = strlen(text);

	return n >= CONTAINERS_ID_LEAST && n <= ID_MOST && strspn(text, "0123456789abcdef") == n;
}

/*
 * Reads up to FILE_MOST bytes of a file, NUL-terminated. Returns their number, and the caller frees
 * *@ret_text. -1: the file cannot be read, or there is no memory; *@ret_text is unchanged.
 */
static ssize_t read_file(const char *path, char **ret_text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd >= 0 ? malloc(FILE_MOST + 1) : NULL;
	size_t n = 0;
	ssize_t more = -1;

	while (text && (more = read(fd, text + n, FILE_MOST - n)) > 0)
		n += (size_t)more;
	if (fd >= 0)
		(void)close(fd);
	if (!text || more < 0) {
		free(text);
		return -1;
	}
	text[n] = '\0';
	*ret_text = text;
	return (ssize_t)n;
}

bool containers_read_monitor(
	const char *line, size_t bytes, const char *name, char ret_id[CGROUP_ID_BYTES])
{
	const char *end = line + bytes, *id = NULL;
	bool named = false;

	while (line < end) {
		size_t n = strnlen(line, (size_t)(end - line)), left;
		const char *value = line + n + 1;

		left = value < end ? (size_t)(end - value) : 0;
		/* A last word without a NUL is ignored, as it may be cut off. */
		if (n == 2 && strnlen(value, left) < left) {
			if (!memcmp(line, "-c", 2))
				id = value;
			if (!memcmp(line, "-n", 2))
				named = !strcmp(value, name);
		}
		line = value;
	}
	if (!named || !id || strlen(id) != ID_MOST || !containers_is_id(id))
		return false;
	memcpy(ret_id, id, CGROUP_ID_BYTES);
	return true;
}

bool containers_may_monitor(const struct container_monitor *monitor, unsigned own_uid)
{
	const char *slash = strrchr(monitor->exe, '/');

	for (size_t i = 0; i < sizeof(monitor->uid) / sizeof(*monitor->uid); i++) {
		if (monitor->uid[i] != 0 && monitor->uid[i] != own_uid)
			return false;
	}
	return slash && !strcmp(slash + 1, "conmon") && !(monitor->mode & (S_ISUID | S_ISGID)) &&
		(monitor->owner == 0 || monitor->owner == own_uid) &&
		!(monitor->mode & (S_IWGRP | S_IWOTH));
}

static bool is_trusted(int pid)
{
	struct container_monitor monitor = {0};
	char path[48], status[4096];
	struct stat st;
	const char *uid;
	ssize_t bytes;

	if (proc_file_read(status, sizeof(status), "/proc/%d/status", pid) < 0)
		return false;
	uid = proc_file_value(status, "Uid");
	if (!uid ||
		sscanf(uid, "%u %u %u %u", &monitor.uid[0], &monitor.uid[1], &monitor.uid[2],
			&monitor.uid[3]) != 4)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	bytes = readlink(path, monitor.exe, sizeof(monitor.exe) - 1);
	if (bytes <= 0 || stat(path, &st) < 0)
		return false;
	monitor.owner = st.st_uid;
	monitor.mode = st.st_mode;
	return containers_may_monitor(&monitor, geteuid());
}

static bool find_monitor(const char *name, char ret_id[CGROUP_ID_BYTES])
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char comm[PROCFS_NAME_BYTES], path[40], *line;
		int pid = atoi(entry->d_name);
		ssize_t n;

		if (pid <= 0)
			continue;
		procfs_read_name(pid, pid, comm);
		if (strcmp(comm, "conmon") != 0 || !is_trusted(pid))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		n = read_file(path, &line);
		if (n < 0)
			continue;
		found = containers_read_monitor(line, (size_t)n, name, ret_id);
		free(line);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

bool containers_is_named(const char *json, const char *name)
{
	static const char key[] = "\"Name\":\"/";
	size_t bytes = strlen(name);

	for (const char *at = json; (at = strstr(at, key));) {
		at += strlen(key);
		if (!strncmp(at, name, bytes) && at[bytes] == '"')
			return true;
	}
	return false;
}

static bool find_docker(const char *name, char ret_id[CGROUP_ID_BYTES])
{
	DIR *dir = opendir(DOCKER);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char path[sizeof(DOCKER) + ID_MOST + 32], *text;

		if (strlen(entry->d_name) != ID_MOST || !containers_is_id(entry->d_name))
			continue;
		(void)snprintf(path, sizeof(path), DOCKER "/%.64s/config.v2.json", entry->d_name);
		if (read_file(path, &text) < 0)
			continue;
		found = containers_is_named(text, name);
		if (found)
			memcpy(ret_id, entry->d_name, CGROUP_ID_BYTES);
		free(text);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

bool containers_find(const char *name, char ret_id[CGROUP_ID_BYTES])
{
	return name[0] && (find_monitor(name, ret_id) || find_docker(name, ret_id));
}
