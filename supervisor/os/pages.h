/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a process can be accessed without waiting for another process to deliver them
 * (courier.h). A lookup in /proc/PID/pagemap takes 0.9 us and tells which pages are in memory. The
 * result is kept for PAGES_KEPT_NS. If a page is not in memory, a courier touches it first. For
 * PAGES_WARY_NS after that, results are not kept, but looked up for each access: a process with
 * pages that another process delivers may also return pages to the kernel.
 *
 * Between the lookup and the access, another thread may return the page (MADV_DONTNEED), or the
 * kernel may evict it. Then only the watchdog helps (watchdog.h).
 */
#ifndef SUPERVISOR_PAGES_H
#define SUPERVISOR_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/*
 * Lookups are kept for PAGES_KNOWN pages, for PAGES_KEPT_NS. For PAGES_WARY_NS after a courier was
 * sent, they are not kept beyond one access.
 */
#define PAGES_KNOWN   128u
#define PAGES_KEPT_NS 100000000
#define PAGES_WARY_NS 1000000000

struct couriers;

struct pages {
	/*
	 * Descriptor of /proc/PID/pagemap, owned by struct process. -1, -EMFILE or -ENFILE: not
	 * open yet; couriers are sent for all pages. Another -errno: it can never be opened; memory
	 * is accessed without a lookup.
	 */
	const int *pagemap_fd;
	struct couriers *couriers;
	/* number of the courier that waits for a page of this process; 0: none does */
	unsigned away;
	/*
	 * CLOCK_MONOTONIC: @known is kept until @until_ns, but before @wary_until_ns for one access
	 * only
	 */
	uint64_t until_ns, wary_until_ns;
	/*
	 * Kept lookups. Element [page number % PAGES_KNOWN] is 2 * (page number + 1) for a page
	 * that can be read, plus 1 if it can be written to; 0: no page.
	 */
	uint64_t known[PAGES_KNOWN];
};

enum pages_use {
	PAGES_PEEK, /* read, if the page is in memory */
	PAGES_READ,
	PAGES_WRITE,
};

/* Call before an access (to any number of pieces): forgets old lookups. */
void pages_begin(struct pages *pages);
/*
 * Returns how many of the @n bytes at @at can be accessed without waiting. -EFAULT: the first page
 * does not exist or does not permit @use; with PAGES_PEEK also: it is not in memory. -ETIMEDOUT:
 * the first page is not delivered in time. -ESRCH: the process has no memory any more. Sets
 * *@ret_late if a page is not delivered in time, so that the result is -ETIMEDOUT or less than @n.
 */
int64_t pages_cover(
	struct pages *pages, int tid, uint64_t at, size_t n, enum pages_use use, bool *ret_late);
/* Forgets all lookups. Call when the process has a new image. */
void pages_forget(struct pages *pages);

/*
 * Returns the size of this machine's pages. /proc/PID/pagemap has a word of 8 bytes for each page,
 * at the file offset 8 * page number (Documentation/admin-guide/mm/pagemap.rst).
 */
static inline uint64_t pagemap_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static inline bool pagemap_is_present(uint64_t word)
{
	return word >> 63;
}

/* Is the page write-protected by userfaultfd, so that a write waits for a server of userfaultfd? */
static inline bool pagemap_is_watched(uint64_t word)
{
	return word >> 57 & 1;
}

/*
 * Can the page be written to without waiting for a process? Bit 61 means that the page belongs to a
 * file or is shared; then a write may have to wait for a file system.
 */
static inline bool pagemap_is_writable(uint64_t word)
{
	return pagemap_is_present(word) && !(word >> 61 & 1) && !pagemap_is_watched(word);
}

#endif
