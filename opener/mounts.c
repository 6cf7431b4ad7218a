/* SPDX-License-Identifier: MIT */
#include "opener/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/mount_list.h"
#include "base/proc_file.h"

/* Bytes copied between two readings of the clock. */
#define PIECE_BYTES ((off_t)64 << 10)

/* Types of network file systems that linux/magic.h lacks. */
#define NETWORK_CEPH   0x00c36400u
#define NETWORK_LUSTRE 0x0bd00bd0u
#define NETWORK_GPFS   0x47504653u

/* Reads lines that begin with id, parent and device: "36 35 98:0 / ..." or "4294967332 0 98:0". */
static int read_lines(struct mounts *mounts, FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	while (r == 0 && getline(&line, &room, file) > 0) {
		unsigned long long id;
		unsigned major, minor;

		if (sscanf(line, "%llu %*u %u:%u", &id, &major, &minor) == 3)
			r = array_add(&mounts->mount, &mounts->room, &mounts->n,
				(struct mount){id, makedev(major, minor)});
	}
	free(line);
	if (r < 0)
		mounts_release(mounts);
	return r;
}

int mounts_read(struct mounts *mounts, int fd)
{
	char *text = fd < 0 ? mount_list_text() : NULL;
	FILE *file = text ? fmemopen(text, strlen(text), "r")
		: fd < 0  ? fopen("/proc/self/mountinfo", "re")
			  : fdopen(fd, "r");
	int r = file ? read_lines(mounts, file) : -errno;

	if (file)
		(void)fclose(file);
	free(text);
	return r;
}

void mounts_release(struct mounts *mounts)
{
	free(mounts->mount);
	*mounts = (struct mounts){0};
}

static bool has_lasting_ids(const struct mounts *mounts)
{
	return mounts->n && mounts->mount[0].id > MOUNT_LIST_REUSED_MOST;
}

/* Returns the id of @fd's mount, a lasting one if the list has such ids; 0: unknown. */
static uint64_t mount_of(const struct mounts *mounts, int fd)
{
	char text[512];

	if (has_lasting_ids(mounts))
		return mount_list_id(fd);
	(void)proc_file_read(text, sizeof(text), "/proc/self/fdinfo/%d", fd);
	return (uint64_t)proc_file_number(text, "mnt_id", 10);
}

static bool is_in_our_namespace(unsigned pid)
{
	struct stat ours, its;
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	return stat("/proc/self/ns/mnt", &ours) == 0 && stat(path, &its) == 0 &&
		ours.st_ino == its.st_ino;
}

/*
 * Is @fd's mount in the list? Another mount namespace has other ids. In it, any listed mount of
 * @device is enough; if ids last, the mount must still exist, because device numbers are used
 * again. On btrfs the list lacks the device of a file: so the device of our root is enough, too.
 */
static bool was_there(const struct mounts *mounts, unsigned pid, int fd, dev_t device)
{
	uint64_t id = mount_of(mounts, fd);
	bool foreign = !is_in_our_namespace(pid);
	struct stat root;

	if (!id)
		return true;
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->mount[i].id == id ||
			(foreign && mounts->mount[i].device == device &&
				(!has_lasting_ids(mounts) ||
					mount_list_lives(mounts->mount[i].id))))
			return true;
	return foreign && stat("/", &root) == 0 && root.st_dev == device;
}

bool mounts_may_fall_silent(unsigned long type)
{
	switch (type) {
	case FUSE_SUPER_MAGIC:
	case NFS_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case V9FS_MAGIC:
	case AFS_SUPER_MAGIC:
	case AFS_FS_MAGIC:
	case CODA_SUPER_MAGIC:
	case NETWORK_CEPH:
	case NETWORK_LUSTRE:
	case NETWORK_GPFS: return true;
	default: return false;
	}
}

static bool is_served(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && mounts_may_fall_silent((unsigned long)fs.f_type);
}

/* Returns false if copying failed, or took longer than MOUNTS_COPY_NS. */
static bool copy(int from, int to, off_t bytes)
{
	uint64_t until = clock_now() + MOUNTS_COPY_NS;
	off_t at = 0;

	while (at < bytes && clock_now() < until) {
		off_t left = bytes - at;

		if (sendfile(to, from, &at, (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES)) <= 0)
			return false;
	}
	return at == bytes;
}

int mounts_detach(struct mounts *mounts, unsigned pid, int fd)
{
	struct stat st;
	int to;

	if (fd < 0 || !mounts->n || fstat(fd, &st) < 0 || st.st_size > MOUNTS_COPY_MOST ||
		((!pid || was_there(mounts, pid, fd, st.st_dev)) && !is_served(fd)))
		return fd;
	if (__atomic_add_fetch(&mounts->copied, st.st_size, __ATOMIC_RELAXED) > MOUNTS_SUM_MOST)
		return fd;
	to = memfd_create("copy", MFD_CLOEXEC);
	if (to < 0 || !copy(fd, to, st.st_size)) {
		if (to >= 0)
			(void)close(to);
		return fd;
	}
	(void)close(fd);
	return to;
}
