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
#include "base/proc_file.h"

/* Bytes copied between two readings of the clock. */
#define PIECE_BYTES ((off_t)64 << 10)

/* Types of network file systems that linux/magic.h lacks. */
#define NETWORK_CEPH   0x00c36400u
#define NETWORK_LUSTRE 0x0bd00bd0u
#define NETWORK_GPFS   0x47504653u

/*
 * Each line of mountinfo begins with id, parent and device: "36 35 98:0 / /mnt rw,noatime - ext4
 * /dev/sda".
 */
int mounts_read(struct mounts *mounts, int fd)
{
	FILE *file = fd < 0 ? fopen("/proc/self/mountinfo", "re") : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	int r = 0;

	if (!file)
		return -errno;
	while (r == 0 && getline(&line, &room, file) > 0) {
		unsigned id, major, minor;

		if (sscanf(line, "%u %*u %u:%u", &id, &major, &minor) == 3)
			r = array_add(&mounts->mount, &mounts->room, &mounts->n,
				(struct mount){id, makedev(major, minor)});
	}
	free(line);
	(void)fclose(file);
	if (r < 0)
		mounts_release(mounts);
	return r;
}

void mounts_release(struct mounts *mounts)
{
	free(mounts->mount);
	*mounts = (struct mounts){0};
}

/* The id of the mount of @fd, from the line "mnt_id:\t36" of /proc/self/fdinfo/FD; 0: unknown. */
static unsigned mount_of(int fd)
{
	char text[512];

	(void)proc_file_read(text, sizeof(text), "/proc/self/fdinfo/%d", fd);
	return (unsigned)proc_file_number(text, "mnt_id", 10);
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
 * Is the mount of @fd in the list? In another mount namespace the same mount has another id, so
 * there any mount of the list with the same device counts. On btrfs, mountinfo does not show the
 * device of a file, so there the device of our root counts, too.
 */
static bool was_there(const struct mounts *mounts, unsigned pid, int fd, dev_t device)
{
	unsigned id = mount_of(fd);
	bool foreign = !is_in_our_namespace(pid);
	struct stat root;

	if (!id)
		return true;
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->mount[i].id == id || (foreign && mounts->mount[i].device == device))
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

/* Copies a file. False: it failed, or took longer than MOUNTS_COPY_NS. */
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
