/* SPDX-License-Identifier: MIT */
/*
 * Copies files so that the analyst does not depend on their mounts, for two reasons.
 *
 * A process that has a file of a mount open or mapped keeps that mount busy: the target could not
 * unmount what it has mounted, and a file system in user space would not end. Therefore the
 * supervisor takes a list of the mounts before the target's first instruction (the opener starts
 * only when the target runs), and files of mounts that are not in the list are copied. (test:
 * test_unmount.sh)
 *
 * A file server, in user space or on another machine, may stop answering after a file was opened. A
 * reader then waits without limit. So files of such servers are copied, too, in a thread that can
 * be left behind (limited.h). (test: test_fuse.sh)
 */
#ifndef OPENER_MOUNTS_H
#define OPENER_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Larger files, and files that would bring all copies above MOUNTS_SUM_MOST, are not copied. */
#define MOUNTS_COPY_MOST ((off_t)64 << 20)
#define MOUNTS_SUM_MOST  ((off_t)512 << 20)
/* A file whose copy takes longer is used without a copy. Less than LIMITED_WAIT_NS. */
#define MOUNTS_COPY_NS UINT64_C(4000000000)

struct mount {
	uint64_t id; /* lasting (base/mount_list.h) for all mounts of the list, or for none */
	dev_t device;
};

/* The list of the mounts, as mounts_read() found them. All 0: nothing is copied. */
struct mounts {
	struct mount *mount;
	size_t n, room;
	off_t copied; /* bytes, by all threads */
};

/*
 * Reads the text of mount_list_text() or of a mountinfo from the position of descriptor @fd, which
 * it closes; -1: those of this process. 0, or -errno: @mounts is all 0.
 */
int mounts_read(struct mounts *mounts, int fd);
void mounts_release(struct mounts *mounts);

/*
 * Returns @fd itself; or closes it and returns a copy of its file in memory, if a server has the
 * file, or if its mount is not in the list of mounts_read(). @pid: the process in whose mount
 * namespace the file was opened. If that namespace is not ours, the mount counts as old if we had
 * any mount of the same file system, and, with lasting ids, still have it. @pid 0: only the server
 * counts. A negative @fd is returned unchanged.
 */
int mounts_detach(struct mounts *mounts, unsigned pid, int fd);

/* Is @type, f_type of statfs(2), one whose files another program or machine serves? */
bool mounts_may_fall_silent(unsigned long type);

#endif
