/* SPDX-License-Identifier: MIT */
#include "supervisor/output/link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/child.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it */
#endif

/* The child's descriptors are below this number. */
enum { FDS_END = LINK_MORE_FD + LINK_MORE_MOST };

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/*
 * Sets the memory file's size. RLIMIT_FSIZE is lifted meanwhile: the user limits files on disks
 * with it, but the kernel applies it to this file, too.
 */
static int set_bytes(int fd, size_t bytes)
{
	struct rlimit limit, more;
	int r;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return -errno;
	more = limit;
	more.rlim_cur = more.rlim_max = RLIM_INFINITY;
	if (setrlimit(RLIMIT_FSIZE, &more) < 0) {
		more.rlim_cur = more.rlim_max = limit.rlim_max;
		(void)setrlimit(RLIMIT_FSIZE, &more);
	}
	r = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	return r;
}

/* Duplicates @more above the numbers used in the child. On -errno, some may be duplicated. */
static int copy_above(const int *more, size_t n, int *copy)
{
	for (size_t i = 0; i < n; i++) {
		copy[i] = fcntl(more[i], F_DUPFD_CLOEXEC, FDS_END);
		if (copy[i] < 0)
			return errno == EINVAL ? -EMFILE : -errno;
	}
	return 0;
}

int link_start(struct link *link, const char *const argv[], uint64_t capacity, const char *mounts,
	const int *more, size_t n)
{
	int child[FDS_END - LINK_RING_FD], *copy = child + 3;
	int ring_fd = -1, bell[2] = {-1, -1}, request[2] = {-1, -1}, r = 0;
	size_t bytes = ring_memory_bytes(capacity), text_bytes = mounts ? strlen(mounts) : 0;

	for (size_t i = 0; i < sizeof(child) / sizeof(*child); i++)
		child[i] = -1;
	*link = LINK_NONE;
	link->bytes = bytes + text_bytes;
	ring_fd = memfd_create("sprofil-ring", MFD_CLOEXEC);
	if (ring_fd < 0 || pipe2(bell, O_CLOEXEC | O_NONBLOCK) < 0 ||
		pipe2(request, O_CLOEXEC | O_NONBLOCK) < 0)
		r = -errno;
	if (r == 0)
		r = set_bytes(ring_fd, link->bytes);
	if (r == 0) {
		link->memory =
			mmap(NULL, link->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
		if (link->memory == MAP_FAILED)
			r = -errno;
		else if (text_bytes)
			memcpy((char *)link->memory + bytes, mounts, text_bytes);
	}
	if (r == 0)
		r = ring_init(&link->ring, link->memory, capacity);
	if (r == 0)
		r = child_lift(&ring_fd, FDS_END);
	if (r == 0)
		r = child_lift(&bell[0], FDS_END);
	if (r == 0)
		r = child_lift(&request[1], FDS_END);
	child[0] = ring_fd;
	child[1] = bell[0];
	child[2] = request[1];
	if (r == 0)
		r = copy_above(more, n, copy);
	if (r == 0)
		r = child_start(argv, child, 3 + n, LINK_RING_FD, &link->pid);
	for (size_t i = 0; i < 3 + n; i++)
		close_fd(&child[i]);
	link->bell_fd = bell[1];
	link->request_fd = request[0];
	if (r < 0) {
		link_release(link);
		return r;
	}
	/* A page fault would take longer than all other work for a record. */
	(void)madvise(link->memory, ring_first_bytes(capacity), MADV_POPULATE_WRITE);
	return 0;
}

int link_finish(struct link *link)
{
	int fd = link->request_fd;

	close_fd(&link->bell_fd);
	link->request_fd = -1;
	return fd;
}

void link_release(struct link *link)
{
	close_fd(&link->bell_fd);
	close_fd(&link->request_fd);
	if (link->memory != MAP_FAILED)
		(void)munmap(link->memory, link->bytes);
	link->memory = MAP_FAILED;
	link->pid = 0;
}
