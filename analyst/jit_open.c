/* SPDX-License-Identifier: MIT */
#include "analyst/jit_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/regular.h"

/*
 * Of "/proc/PID/status" two lines: "NSpid:\t4242\t7\n" ends with the pid in its own namespace, the
 * second number of "Uid:\t1000\t1000\t1000\t1000\n" is the effective uid.
 */
struct jit_owner jit_owner_of(uint32_t pid, bool live)
{
	struct jit_owner owner = {.pid = pid, .inner_pid = pid, .uid = geteuid(), .live = live};
	char path[48], line[256];
	unsigned real, effective;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = live ? fopen(path, "re") : NULL;
	while (file && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			owner.uid = effective;
		else if (strncmp(line, "NSpid:", 6) == 0 && last)
			owner.inner_pid = (uint32_t)strtoul(last + 1, NULL, 10);
	}
	if (file)
		(void)fclose(file);
	if (!owner.inner_pid)
		owner.inner_pid = pid;
	return owner;
}

static bool is_credible(const struct jit_owner *owner, const struct stat *st)
{
	if (st->st_uid == owner->uid)
		return true;
	return st->st_uid == 0 && st->st_mode & S_IROTH;
}

static int judged(const struct jit_owner *owner, int fd, const struct stat *st)
{
	if (fd < 0 || is_credible(owner, st))
		return fd;
	(void)close(fd);
	return -EPERM;
}

int jit_open_map(const struct jit_owner *owner)
{
	char path[64];
	struct stat st = {0};
	int fd = -ENOENT;

	if (owner->live) {
		(void)snprintf(path, sizeof(path), "/tmp/perf-%u.map", owner->inner_pid);
		fd = judged(owner,
			regular_open_of((int)owner->pid, path, REGULAR_NO_LAST_LINK, &st), &st);
	}
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%u.map", owner->pid);
	return judged(owner, regular_open(-1, path, REGULAR_NO_LAST_LINK, &st), &st);
}
