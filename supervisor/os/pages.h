/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a process can be accessed without waiting for whoever delivers them. What is in
 * memory already waits for nobody: /proc/PID/pagemap tells, in 0.9 us, and the answer is kept for
 * PAGES_KEPT_NS, so that the stack of a thread costs nothing more. For other pages a courier is
 * sent (courier.h), and no answer is kept for PAGES_WARY_NS: a process that has such pages may also
 * give others back.
 *
 * What remains is the time between the answer and the access, in which another thread may give the
 * page back (MADV_DONTNEED), or the kernel may evict it. Then the watchdog helps (watchdog.h).
 */
#ifndef SUPERVISOR_PAGES_H
#define SUPERVISOR_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_KNOWN   128u
#define PAGES_KEPT_NS 100000000
#define PAGES_WARY_NS 1000000000

struct couriers;

struct pages {
	/*
	 * Of the process's pagemap; owned by the process. -ENOENT and other errors of opening: the
	 * kernel does not tell, and memory is accessed at once. -1, -EMFILE: it is not open, and
	 * couriers are sent.
	 */
	const int *pagemap_fd;
	struct couriers *couriers;
	unsigned away;
	uint64_t until_ns, wary_until_ns;
	/* By the number of the page: twice that number, plus 1 if it can be written to. */
	uint64_t known[PAGES_KNOWN];
};

enum pages_use {
	PAGES_PEEK, /* read, if the page is in memory */
	PAGES_READ,
	PAGES_WRITE,
};

/* An access begins, of one piece of memory or more: answers that are too old are forgotten. */
void pages_begin(struct pages *pages);
/*
 * How many of the @n bytes at @at can be accessed at once. -EFAULT: none, they are not there.
 * -ETIMEDOUT: none, as they do not come. -ESRCH: the memory is gone. Otherwise *@ret_late tells
 * whether what is behind does not come.
 */
int64_t pages_cover(
	struct pages *pages, int tid, uint64_t at, size_t n, enum pages_use use, bool *ret_late);
/* The process has a new image. */
void pages_forget(struct pages *pages);

#endif
