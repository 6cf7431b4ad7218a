/* SPDX-License-Identifier: MIT */
#include "opener/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/proc_file.h"

/* Opens a path name by name, and follows no link; refuses "..", which would lead outside. */
static int walk(int root_fd, const char *path)
{
	int dir = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
	char name[NAME_MAX + 1];

	while (dir >= 0) {
		size_t bytes;
		int fd;

		path += strspn(path, "/");
		bytes = strcspn(path, "/");
		if (!bytes)
			return dir;
		if (bytes > NAME_MAX || (bytes == 2 && !memcmp(path, "..", 2))) {
			(void)close(dir);
			return -ENOENT;
		}
		memcpy(name, path, bytes);
		name[bytes] = '\0';
		path += bytes;
		fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		(void)close(dir);
		dir = fd;
	}
	return -errno;
}

/* Resolves @path to an O_PATH descriptor, or -errno. */
static int find(int root_fd, const char *path, enum regular_links links)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (links == REGULAR_NO_LAST_LINK ? O_NOFOLLOW : 0),
		.resolve = (links == REGULAR_ALL_LINKS ? 0 : RESOLVE_NO_MAGICLINKS) |
			(root_fd >= 0 ? RESOLVE_IN_ROOT : 0)};
	int fd = (int)syscall(
		SYS_openat2, root_fd >= 0 ? root_fd : AT_FDCWD, path, &how, sizeof(how));

	/* EPERM: a sandbox's filter does not know openat2(2). */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd < 0 ? -errno : fd;
	if (root_fd >= 0)
		return walk(root_fd, path);
	fd = open(path, (int)how.flags);
	return fd < 0 ? -errno : fd;
}

/* Is the file made by the kernel, and not stored? Opening such a file may have effects. */
static bool is_made_up(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	switch (fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC: return true;
	default: return false;
	}
}

int regular_open(int root_fd, const char *path, enum regular_links links, struct stat *ret_st)
{
	int found = find(root_fd, path, links), fd;
	char again[40];
	struct stat st;

	if (found < 0)
		return found;
	if (fstat(found, &st) < 0 || !S_ISREG(st.st_mode) || is_made_up(found)) {
		(void)close(found);
		return -ENOENT;
	}
	(void)snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	(void)close(found);
	if (fd >= 0)
		*ret_st = st;
	return fd;
}

int regular_open_of(int pid, const char *path, enum regular_links links, struct stat *ret_st)
{
	char root[32];
	int root_fd, fd;

	(void)snprintf(root, sizeof(root), "/proc/%d/root", proc_file_living_thread(pid));
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	fd = regular_open(root_fd, path, links, ret_st);
	(void)close(root_fd);
	return fd;
}

bool regular_is_public(int fd)
{
	char link[40], path[PATH_MAX];
	struct stat st, named;
	ssize_t bytes;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	bytes = readlink(link, path, sizeof(path) - 1);
	if (bytes <= 0 || bytes == sizeof(path) - 1 || path[0] != '/' || fstat(fd, &st) < 0)
		return false;
	path[bytes] = '\0';
	/* The path must lead to the same file in our root, too. */
	if (!(st.st_mode & S_IROTH) || lstat(path, &named) < 0 || named.st_ino != st.st_ino ||
		named.st_dev != st.st_dev)
		return false;
	for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
		slash[slash == path] = '\0';
		if (stat(path, &st) < 0 || !(st.st_mode & S_IXOTH))
			return false;
		if (slash == path)
			return true;
	}
	return false;
}
