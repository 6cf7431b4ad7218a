/* SPDX-License-Identifier: MIT */
#include "base/chase.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40, OPEN_FLAGS = O_PATH | O_NOFOLLOW | O_CLOEXEC };

struct walk {
	int dir_fd, fd; /* folder of the current name, and its file (-1: none exists) */
	char rest[PATH_MAX];
	char name[NAME_MAX + 1];
	bool last; /* the current name is the last one */
	unsigned links;
	struct stat st, folder;
};

static bool is_ours(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

/* Can users other than us and root write to the folder? */
static int is_shared(const struct stat *folder)
{
	return folder->st_mode & S_IWOTH ||
		(folder->st_mode & S_IWGRP && folder->st_gid != 0 && folder->st_gid != getegid());
}

/*
 * May the link be followed (chase.h)? A link in a shared folder must have only one name: if
 * fs.protected_hardlinks is 0, another user can put a hard link to one of our links there.
 */
static bool is_trusted(const struct stat *link, const struct stat *folder)
{
	if (!is_ours(link->st_uid) || !is_ours(folder->st_uid))
		return false;
	return !is_shared(folder) ||
		(folder->st_mode & S_ISVTX && link->st_uid == geteuid() && link->st_nlink == 1);
}

static void replace_fd(int *fd, int by)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = by;
}

static bool is_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Moves the next name of the path to w->name. Returns 1 if there is one, 0 if not, or -errno. */
static int take_name(struct walk *w)
{
	const char *at = w->rest + strspn(w->rest, "/");
	size_t bytes = strcspn(at, "/"), left;

	if (bytes > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(w->name, at, bytes);
	w->name[bytes] = '\0';
	at += bytes;
	w->last = !at[strspn(at, "/")];
	left = strlen(at);
	/* A path that ends in a slash requires a folder. */
	if (w->last && left)
		return -EISDIR;
	memmove(w->rest, at, left + 1);
	return bytes > 0;
}

/* Opens the target of a procfs link. False: no such link, or to a folder or named file. */
static bool take_nameless(struct walk *w)
{
	int fd = w->last && is_procfs(w->dir_fd) ? openat(w->dir_fd, w->name, O_PATH | O_CLOEXEC)
						 : -1;

	if (fd < 0 || fstat(fd, &w->st) < 0 || S_ISDIR(w->st.st_mode) ||
		(S_ISREG(w->st.st_mode) && w->st.st_nlink)) {
		replace_fd(&fd, -1);
		return false;
	}
	replace_fd(&w->fd, fd);
	return true;
}

/* Puts the link's target in front of the rest of the path, in place of the link's name. */
static int follow_link(struct walk *w, const char **ret_problem)
{
	char path[PATH_MAX];
	size_t left = strlen(w->rest);
	ssize_t n;

	if (!is_trusted(&w->st, &w->folder)) {
		*ret_problem = "a symbolic link on the way belongs to another user, or stands "
			       "where others can put one; name the file itself";
		return -ELOOP;
	}
	if (++w->links > LINKS_MOST)
		return -ELOOP;
	n = readlinkat(w->fd, "", path, sizeof(path));
	if (n <= 0)
		return n < 0 ? -errno : -ENOENT;
	if ((size_t)n + left >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path + n, w->rest, left + 1);
	memcpy(w->rest, path, (size_t)n + left + 1);
	replace_fd(&w->fd, -1);
	if (path[0] != '/')
		return 0;
	replace_fd(&w->dir_fd, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return w->dir_fd < 0 ? -errno : 0;
}

/* Walks one name of the path. Returns 1 if the walk is over, 0 if it goes on, or -errno. */
static int step(struct walk *w, const char **ret_problem)
{
	int r = take_name(w);

	if (r <= 0)
		return r < 0 ? r : -EISDIR;
	if (fstat(w->dir_fd, &w->folder) < 0)
		return -errno;
	w->fd = openat(w->dir_fd, w->name, OPEN_FLAGS);
	if (w->fd < 0)
		return errno == ENOENT && w->last ? 1 : -errno;
	if (fstat(w->fd, &w->st) < 0)
		return -errno;
	if (S_ISLNK(w->st.st_mode)) {
		if (is_trusted(&w->st, &w->folder) && take_nameless(w))
			return 1;
		return follow_link(w, ret_problem);
	}
	if (w->last)
		return S_ISDIR(w->st.st_mode) ? -EISDIR : 1;
	if (!S_ISDIR(w->st.st_mode))
		return -ENOTDIR;
	replace_fd(&w->dir_fd, w->fd);
	w->fd = -1;
	return 0;
}

int chase(const char *path, struct chased *ret_chased, const char **ret_problem)
{
	struct walk w = {.fd = -1};
	int r = 0;

	*ret_problem = NULL;
	if (!path[0])
		return -ENOENT;
	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	w.dir_fd = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.dir_fd < 0)
		return -errno;
	while (r == 0)
		r = step(&w, ret_problem);
	if (r < 0) {
		replace_fd(&w.fd, -1);
		replace_fd(&w.dir_fd, -1);
		return r;
	}
	*ret_chased =
		(struct chased){.folder_fd = w.dir_fd, .fd = w.fd, .st = w.st, .folder = w.folder};
	strcpy(ret_chased->name, w.name);
	return 0;
}

void chase_release(struct chased *chased)
{
	replace_fd(&chased->fd, -1);
	replace_fd(&chased->folder_fd, -1);
}
