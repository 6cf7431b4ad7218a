/* SPDX-License-Identifier: MIT */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ms between attempts to open a FIFO: the kernel does not report that a reader has come. */
#define READER_MS 50

static int refuse(const char **ret_problem, const char *problem)
{
	*ret_problem = problem;
	return -EPERM;
}

/* Is it null, zero, full or a terminal? Opening or writing other devices may have side effects. */
static bool is_harmless(dev_t device)
{
	unsigned minor_number = minor(device);

	switch (major(device)) {
	case 1: return minor_number == 3 || minor_number == 5 || minor_number == 7;
	case 5: return minor_number == 0;
	default: return major(device) >= 136 && major(device) <= 143; /* Pseudo terminals. */
	}
}

/* Is it another user's FIFO in a shared folder? With fs.protected_fifos, Linux does not open it. */
static bool is_trap(const struct chased *at)
{
	return at->st.st_uid != geteuid() && at->st.st_uid != at->folder.st_uid &&
		at->folder.st_mode & S_ISVTX && at->folder.st_mode & S_IWOTH;
}

/* Returns 1: the file is written in place; 0: it is created or replaced; -errno: it is refused. */
static int judge(const struct chased *at, const char **ret_problem)
{
	if (at->fd < 0)
		return 0;
	switch (at->st.st_mode & S_IFMT) {
	case S_IFREG:
		if (!at->st.st_nlink)
			/* A deleted file (a link in /proc) has no name to be replaced. */
			return 1;
		if (at->st.st_mode & (S_ISUID | S_ISGID | S_ISVTX))
			return refuse(ret_problem,
				"the file there has special mode bits (set-user-ID, set-group-ID "
				"or sticky); remove it, or name another");
		return faccessat(at->folder_fd, at->name, W_OK, 0) < 0 ? -errno : 0;
	case S_IFIFO:
		return is_trap(at)
			? refuse(ret_problem, "the pipe there is of another user; name another")
			: 1;
	case S_IFCHR:
		return is_harmless(at->st.st_rdev)
			? 1
			: refuse(ret_problem, "it is a device; name a file");
	default: return refuse(ret_problem, "it is a device or a socket; name a file");
	}
}

/* Opens the file that was checked, even if its name refers to another file now. */
static int reopen(const struct chased *at, int flags)
{
	char path[40];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", at->fd);
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_in_place(const struct chased *at, int peer_fd)
{
	bool fifo = S_ISFIFO(at->st.st_mode);
	int flags = O_WRONLY | (S_ISREG(at->st.st_mode) ? O_TRUNC : 0);
	struct pollfd peer = {.fd = peer_fd};
	int fd;

	if (!fifo || peer_fd == -1)
		return reopen(at, flags);
	if (peer_fd == OUTFILE_AT_ONCE) {
		fd = reopen(at, flags | O_NONBLOCK);
		return fd == -ENXIO ? -EAGAIN : fd;
	}
	while ((fd = reopen(at, flags | O_NONBLOCK)) == -ENXIO) {
		if (poll(&peer, 1, READER_MS) > 0)
			return -EINTR;
	}
	return fd;
}

static int open_fresh(struct outfile *o)
{
	mode_t mode = 0666 & (o->at.fd < 0 ? 0666 : o->at.st.st_mode);

	for (unsigned i = 0; i < 100; i++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
			random = (uint64_t)getpid() << 32 | i;
		(void)snprintf(
			o->fresh, sizeof(o->fresh), ".sprofil-%016llx", (unsigned long long)random);
		o->fd = openat(o->at.folder_fd, o->fresh,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (o->fd >= 0 || errno != EEXIST)
			break;
	}
	if (o->fd >= 0)
		return 0;
	o->fresh[0] = '\0';
	return -errno;
}

/*
 * Creates the new file. Refuses if new and old file have different owners. The owner of the new
 * file may differ from our uid on some file systems, so our uid is not compared.
 */
static int make_fresh(struct outfile *o, const char **ret_problem)
{
	struct stat st;
	int r = open_fresh(o);

	if (r == 0 && fstat(o->fd, &st) < 0)
		r = -errno;
	if (r == 0 && o->at.fd >= 0 && st.st_uid != o->at.st.st_uid)
		r = refuse(ret_problem,
			"the file there belongs to another user; remove it, or name another");
	return r;
}

int outfile_begin(struct outfile *outfile, const char *path, int peer_fd, const char **ret_problem)
{
	struct outfile o = {.fd = -1};
	int r = chase(path, &o.at, ret_problem);

	if (r < 0)
		return r;
	r = judge(&o.at, ret_problem);
	if (r > 0)
		o.fd = r = open_in_place(&o.at, peer_fd);
	else if (r == 0)
		r = make_fresh(&o, ret_problem);
	if (r < 0) {
		outfile_abandon(&o);
		return r;
	}
	*outfile = o;
	return 0;
}

void outfile_keep_old(const struct outfile *outfile)
{
	const struct chased *at = &outfile->at;
	char old[NAME_MAX + 1];
	struct stat st;
	int n = snprintf(old, sizeof(old), "%s.old", at->name);

	if (!outfile->fresh[0] || at->fd < 0 || !S_ISREG(at->st.st_mode) || !at->st.st_size ||
		n >= (int)sizeof(old))
		return;
	if (fstatat(at->folder_fd, old, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		(!S_ISREG(st.st_mode) || st.st_uid != at->st.st_uid ||
			unlinkat(at->folder_fd, old, 0) < 0))
		return;
	/* The file has two names for a moment, so that a profile exists at any time. */
	if (linkat(at->folder_fd, at->name, at->folder_fd, old, 0) < 0)
		(void)renameat(at->folder_fd, at->name, at->folder_fd, old);
}

int outfile_name(struct outfile *outfile)
{
	int r = 0;

	if (outfile->fresh[0] &&
		renameat(outfile->at.folder_fd, outfile->fresh, outfile->at.folder_fd,
			outfile->at.name) < 0)
		r = -errno;
	if (r == 0)
		outfile->fresh[0] = '\0';
	return r;
}

/* Renames without replacing @to. If the file system cannot do that, first checks for @to. */
static int rename_new(int folder, const char *from, const char *to)
{
	struct stat st;

	if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(folder, from, folder, to, 0) == 0)
		return unlinkat(folder, from, 0) < 0 ? -errno : 0;
	if (errno == EEXIST || fstatat(folder, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(folder, from, folder, to) < 0 ? -errno : 0;
}

int outfile_name_new(struct outfile *outfile, const char *name)
{
	int r = rename_new(outfile->at.folder_fd, outfile->fresh, name);

	if (r == 0)
		outfile->fresh[0] = '\0';
	return r;
}

void outfile_abandon(struct outfile *outfile)
{
	if (outfile->fd >= 0)
		(void)close(outfile->fd);
	outfile->fd = -1;
	if (outfile->fresh[0])
		(void)unlinkat(outfile->at.folder_fd, outfile->fresh, 0);
	outfile->fresh[0] = '\0';
	chase_release(&outfile->at);
}

int outfile_commit(struct outfile *outfile)
{
	int r = close(outfile->fd) < 0 ? -errno : 0;

	outfile->fd = -1;
	if (r == 0)
		r = outfile_name(outfile);
	outfile_abandon(outfile);
	return r;
}

int outfile_check(const char *path, const char **ret_problem)
{
	struct outfile o = {.fd = -1};
	int r = chase(path, &o.at, ret_problem);

	if (r < 0)
		return r;
	r = judge(&o.at, ret_problem);
	if (r > 0)
		r = faccessat(o.at.folder_fd, o.at.name, W_OK, 0) < 0 ? -errno : 0;
	else if (r == 0)
		r = make_fresh(&o, ret_problem);
	outfile_abandon(&o);
	return r;
}

bool outfile_is_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int outfile_append(const char *path, const char **ret_problem)
{
	struct chased at;
	int r = chase(path, &at, ret_problem), fd;

	if (r < 0)
		return r;
	r = judge(&at, ret_problem);
	if (r == 0 && at.fd >= 0 && at.st.st_uid != geteuid())
		r = refuse(ret_problem,
			"the file there belongs to another user; remove it, or name another");
	if (r < 0) {
		fd = r;
	} else if (at.fd >= 0) {
		fd = reopen(&at, O_WRONLY | O_APPEND);
	} else {
		fd = openat(at.folder_fd, at.name,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
		fd = fd < 0 ? -errno : fd;
	}
	chase_release(&at);
	return fd;
}
