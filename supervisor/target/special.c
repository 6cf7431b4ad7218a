/* SPDX-License-Identifier: MIT */
#include "supervisor/target/special.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "supervisor/os/mem.h"
#include "supervisor/os/say.h"
#include "supervisor/target/target.h"

/* The names of called functions are searched in this much of an executable. */
#define SEARCH_BYTES (16 << 20)

/* The text after "key" in a status text; NULL: there is no such line. */
static const char *value_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? at + strlen(key) : NULL;
}

bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities)
{
	const char *uids = value_of(status, "\nUid:"), *gids = value_of(status, "\nGid:");
	const char *permitted = value_of(status, "\nCapPrm:");
	const char *stays = value_of(status, "\nNoNewPrivs:");
	unsigned effective;

	if (!uids || !gids || !permitted || (stays && atoi(stays)))
		return false;
	if (mode & S_ISUID && sscanf(uids, "%*u %u", &effective) == 1 && effective != uid)
		return true;
	/* Without the group's execute permission the bit means something else. */
	if (mode & S_ISGID && mode & S_IXGRP && sscanf(gids, "%*u %u", &effective) == 1 &&
		effective != gid)
		return true;
	return capabilities && strtoull(permitted, NULL, 16) == 0;
}

/* In another user namespace, the bits have no effect if the file's owner does not exist there. */
static bool in_our_user_namespace(int pid)
{
	char path[48];
	struct stat ours, its;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return stat("/proc/self/ns/user", &ours) == 0 && stat(path, &its) == 0 &&
		ours.st_ino == its.st_ino;
}

static bool lost_privilege(int pid)
{
	char exe[48], path[48], status[4096];
	struct statvfs fs;
	struct stat st;
	bool capabilities;
	ssize_t n;
	int fd;

	(void)snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	if (stat(exe, &st) < 0 || statvfs(exe, &fs) < 0 || fs.f_flag & ST_NOSUID)
		return false;
	capabilities = getxattr(exe, "security.capability", NULL, 0) > 0;
	if ((!(st.st_mode & (S_ISUID | S_ISGID)) && !capabilities) || !in_our_user_namespace(pid))
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return false;
	status[n] = '\0';
	return special_lost_privilege(status, st.st_mode, st.st_uid, st.st_gid, capabilities);
}

/* Does the program call ptrace, judging by the names in its executable? */
static bool mentions_ptrace(int pid)
{
	static const char name[] = "\0ptrace"; /* and the NUL behind it */
	char exe[48];
	struct stat st;
	void *data;
	size_t bytes;
	bool found;
	int fd;

	(void)snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	fd = open(exe, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || st.st_size <= 0) {
		(void)close(fd);
		return false;
	}
	bytes = st.st_size < SEARCH_BYTES ? (size_t)st.st_size : SEARCH_BYTES;
	data = mem_new(bytes, 1);
	found = data && pread(fd, data, bytes, 0) == (ssize_t)bytes &&
		memmem(data, bytes, name, sizeof(name)) != NULL;
	free(data);
	(void)close(fd);
	return found;
}

void special_see_child(struct special *special, const struct process *parent)
{
	if (special->said_tracer)
		return;
	if (parent->image->traces == IMAGE_TRACES_UNKNOWN)
		parent->image->traces =
			mentions_ptrace(parent->pid) ? IMAGE_TRACES : IMAGE_TRACES_NOT;
	if (parent->image->traces != IMAGE_TRACES)
		return;
	special->said_tracer = true;
	say_line(special->say, SAY_NOTE,
		"%s (pid %d) seems to trace its children, which are traced already: if it fails, "
		"use "
		"--no-follow, which leaves them to it",
		parent->image->path, parent->pid);
}

void special_see_exec(struct special *special, const struct process *process)
{
	if (special->said_privilege || !lost_privilege(process->pid))
		return;
	special->said_privilege = true;
	say_line(special->say, SAY_WARNING,
		"%s (pid %d) runs without its set-user-ID privilege or file capabilities, which "
		"the kernel keeps from a "
		"program that is traced; profile as root, or attach with -p once it runs",
		process->image->path, process->pid);
}
