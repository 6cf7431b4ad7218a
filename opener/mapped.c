/* SPDX-License-Identifier: MIT */
/* Opens the file of a mapping, by the path that it has for the process that mapped it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "base/proc_file.h"
#include "opener/opened.h"
#include "opener/openings.h"
#include "opener/regular.h"

struct mapped_here {
	uintptr_t at;
	const struct opening *what;
};

static bool is_same_file(void *context, const struct maps_line *line)
{
	const struct mapped_here *here = context;

	return line->start == here->at && line->major == here->what->major &&
		line->minor == here->what->minor && line->inode == here->what->inode;
}

/* If we map the file of @fd: does our maps file show the device and inode of @what? */
static bool is_printed_so(int fd, const struct opening *what)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	struct mapped_here here = {(uintptr_t)at, what};
	bool same;

	if (at == MAP_FAILED)
		return false;
	same = maps_line_find("/proc/self/maps", is_same_file, &here);
	(void)munmap(at, page);
	return same;
}

/*
 * Is it the file of @what? On btrfs and overlayfs, /proc/PID/maps shows other device and inode
 * numbers than fstat(2): so @fd is also mapped here, to see what our own maps file shows for it.
 */
static bool is_the_file(int fd, const struct stat *st, const struct opening *what)
{
	if (what->inode == 0)
		return true;
	if (st->st_ino == what->inode && major(st->st_dev) == what->major &&
		minor(st->st_dev) == what->minor)
		return true;
	return is_printed_so(fd, what);
}

static int open_in_root(const struct opening *what, const char *path, struct stat *ret_st)
{
	int fd = regular_open_of((int)what->pid, path, REGULAR_LINKS, ret_st);

	if (fd >= 0 && !is_the_file(fd, ret_st, what)) {
		(void)close(fd);
		fd = -ENOENT;
	}
	return fd;
}

/*
 * For a process in a chroot. /proc/PID/maps shows its paths from outside ("/srv/box/bin/sh"), and
 * the link /proc/PID/root is "/srv/box": opens "/bin/sh" below the process's root.
 */
static int open_below_root(const struct opening *what, struct stat *ret_st)
{
	char link[48], root[4096];
	ssize_t n;

	(void)snprintf(
		link, sizeof(link), "/proc/%d/root", proc_file_living_thread((int)what->pid));
	n = readlink(link, root, sizeof(root));
	if (n <= 1 || (size_t)n >= sizeof(root) || strncmp(what->path, root, (size_t)n) != 0 ||
		what->path[n] != '/')
		return -ENOENT;
	return open_in_root(what, what->path + n, ret_st);
}

/*
 * Opens the path in the process's own mount namespace if permitted, or in ours. If no process is
 * known (a replayed capture, perhaps of another machine), takes any file there: OPENED_OTHER.
 */
static int open_by_path(const struct opening *what, struct stat *ret_st, struct opened *opened)
{
	int fd;

	if (what->pid) {
		fd = open_in_root(what, what->path, ret_st);
		if (fd < 0)
			fd = open_below_root(what, ret_st);
		if (fd >= 0)
			return fd;
	}
	fd = regular_open(-1, what->path, REGULAR_LINKS, ret_st);
	if (fd < 0 || is_the_file(fd, ret_st, what))
		return fd;
	if (what->pid) {
		(void)close(fd);
		return -ENOENT;
	}
	opened->flags |= OPENED_OTHER;
	return fd;
}

/* Opens the mapped file itself, even if it was renamed. Needs CAP_CHECKPOINT_RESTORE. */
static int open_by_mapping(const struct opening *what, struct stat *ret_st)
{
	char path[96];

	if (!what->pid)
		return -ENOENT;
	(void)snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx",
		proc_file_living_thread((int)what->pid), (unsigned long long)what->start,
		(unsigned long long)what->end);
	return regular_open(-1, path, REGULAR_ALL_LINKS, ret_st);
}

/* Opens /proc/PID/exe if it is the mapped file, even a deleted one. Needs no capability. */
static int open_executable(const struct opening *what, struct stat *ret_st)
{
	char path[32];
	int fd;

	if (!what->pid)
		return -ENOENT;
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", proc_file_living_thread((int)what->pid));
	fd = regular_open(-1, path, REGULAR_ALL_LINKS, ret_st);
	if (fd >= 0 && !is_the_file(fd, ret_st, what)) {
		(void)close(fd);
		fd = -ENOENT;
	}
	return fd;
}

int openings_mapped(const struct opening *what, struct opened *opened)
{
	char plain[OPENING_PATH_MOST + 1];
	size_t bytes = strlen(what->path);
	struct stat st;
	/* Tries the whole path first, as a file may really be named "x (deleted)". */
	int fd = bytes ? open_by_path(what, &st, opened) : -ENOENT;

	if (fd < 0) {
		memcpy(plain, what->path, what->plain_bytes);
		plain[what->plain_bytes] = '\0';
		opened->flags |= OPENED_PLAIN;
		if (what->plain_bytes != bytes || access(plain, F_OK) == 0)
			opened->flags |= OPENED_DELETED;
		fd = open_by_mapping(what, &st);
		if (fd < 0)
			fd = open_executable(what, &st);
	}
	return opened_elf(fd, &st, opened);
}
