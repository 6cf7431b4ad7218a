/* SPDX-License-Identifier: MIT */
/*
 * Who has a file of a mount open, or mapped, keeps that mount busy: the target could not unmount
 * what it has mounted, and a file system in user space would not end. So files of mounts that were
 * made since the start are copied. (test: test_unmount.sh)
 *
 * A server of files, in user space or on another machine, may fall silent after a file was opened.
 * Whoever then reads it waits for as long as the server likes. So its files are copied, too, by
 * who is not waited for (limited.h). (test: test_fuse.sh)
 */
#ifndef OPENER_MOUNTS_H
#define OPENER_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Larger files are used where they are, and so are those beyond the sum. */
#define MOUNTS_COPY_MOST ((off_t)64 << 20)
#define MOUNTS_SUM_MOST  ((off_t)512 << 20)
/* A file whose copy takes longer is used where it is; less than LIMITED_WAIT_NS. */
#define MOUNTS_COPY_NS UINT64_C(4000000000)

struct mount {
	unsigned id;
	dev_t device;
};

/* All 0: nothing is copied. */
struct mounts {
	struct mount *mount;
	size_t n, room;
	off_t copied; /* by all threads */
};

/* Reads /proc/self/mountinfo. -errno: nothing is copied. */
int mounts_read(struct mounts *mounts);
void mounts_release(struct mounts *mounts);

/*
 * @fd itself, or a copy of that file in memory, with @fd closed, if a server has the file, or its
 * mount was made since mounts_read(). In another mount namespace than ours, that of @pid, it counts
 * whether the file system was there; with @pid 0 the mount does not count. Negative @fd is returned
 * as it is.
 */
int mounts_detach(struct mounts *mounts, unsigned pid, int fd);

/* @type: f_type of statfs(2). Does another program or machine have the files? */
bool mounts_may_fall_silent(unsigned long type);

#endif
