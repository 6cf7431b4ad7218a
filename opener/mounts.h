/* SPDX-License-Identifier: MIT */
/*
 * Copies files so that the analyst does not depend on their mounts.
 *
 * An open or mapped file keeps its mount busy: the target could not unmount what it has mounted. So
 * a file is copied if its mount is not in a list from before the target's first instruction. The
 * supervisor makes the list, because the opener starts later. (test: test_unmount.sh)
 *
 * A file server, in user space or on another machine, may stop answering, and a reader then waits
 * without limit. So the files of such servers are copied, too, in a thread that can be left behind
 * (limited.h). (test: test_fuse.sh)
 */
#ifndef OPENER_MOUNTS_H
#define OPENER_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Not copied: a larger file, and a file with which all copies would exceed MOUNTS_SUM_MOST. */
#define MOUNTS_COPY_MOST ((off_t)64 << 20)
#define MOUNTS_SUM_MOST  ((off_t)512 << 20)
/* If copying a file takes longer, the file itself is used. Less than LIMITED_WAIT_NS. */
#define MOUNTS_COPY_NS UINT64_C(4000000000)

struct mount {
	uint64_t id; /* all mounts of the list have lasting ids (base/mount_list.h), or none has */
	dev_t device;
};

/* The list that mounts_read() fills. All 0: nothing is copied. */
struct mounts {
	struct mount *mount;
	size_t n, room;
	off_t copied; /* bytes copied by all threads */
};

/*
 * Reads a list of mounts (mount_list_text() or mountinfo) from the position of @fd, and closes @fd.
 * -1: reads those of this process. 0, or -errno: @mounts is all 0.
 */
int mounts_read(struct mounts *mounts, int fd);
void mounts_release(struct mounts *mounts);

/*
 * Returns @fd; or closes @fd and returns a copy in memory, if a server has the file, or if the
 * file's mount is not in the list. @pid: the process in whose mount namespace the file was opened;
 * 0: the list is not used. In a foreign namespace, a listed mount of the same device stands for the
 * file's mount; if ids last, that mount must still exist. A negative @fd is returned unchanged.
 */
int mounts_detach(struct mounts *mounts, unsigned pid, int fd);

/* Is @type (f_type of statfs(2)) a file system that another program or machine serves? */
bool mounts_may_fall_silent(unsigned long type);

#endif
