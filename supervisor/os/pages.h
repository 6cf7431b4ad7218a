/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a process can be accessed without waiting for another process to deliver them
 * (courier.h). /proc/PID/pagemap tells in 0.9 us which pages are in memory; its answers are kept
 * for PAGES_KEPT_NS. For other pages a courier is sent. For PAGES_WARY_NS after that, an answer
 * serves one access only: a process that has such pages may also return others to the kernel.
 *
 * Between answer and access, another thread may return the page (MADV_DONTNEED), or the kernel may
 * evict it. Then only the watchdog helps (watchdog.h).
 */
#ifndef SUPERVISOR_PAGES_H
#define SUPERVISOR_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Number of pages whose answers are kept; for how long; for how long each serves one access. */
#define PAGES_KNOWN   128u
#define PAGES_KEPT_NS 100000000
#define PAGES_WARY_NS 1000000000

struct couriers;

struct pages {
	/*
	 * /proc/PID/pagemap, owned by the process. -1, -EMFILE, -ENFILE: not open; couriers are
	 * sent. Another -errno: it cannot be opened; memory is accessed without asking.
	 */
	const int *pagemap_fd;
	struct couriers *couriers;
	unsigned away; /* courier that waits for a page: @away of couriers_send() */
	/* CLOCK_MONOTONIC: until when answers are kept; until when each serves one access only */
	uint64_t until_ns, wary_until_ns;
	/* At [page number % PAGES_KNOWN]: 2 * (number + 1), + 1 if writable; 0: no page. */
	uint64_t known[PAGES_KNOWN];
};

enum pages_use {
	PAGES_PEEK, /* read, if the page is in memory */
	PAGES_READ,
	PAGES_WRITE,
};

/* Call before an access (to any number of pieces): forgets old answers. */
void pages_begin(struct pages *pages);
/*
 * Returns how many of the @n bytes at @at can be accessed without waiting. -EFAULT: the first page
 * does not exist, does not permit @use or, for PAGES_PEEK, is not in memory; -ETIMEDOUT: the first
 * page is not delivered in time; -ESRCH: the process has no memory any more. *@ret_late: the result
 * is less than @n, or -ETIMEDOUT, because a page is not delivered in time.
 */
int64_t pages_cover(
	struct pages *pages, int tid, uint64_t at, size_t n, enum pages_use use, bool *ret_late);
/* Forgets all answers: the process has a new image. */
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

/* Is the page write-protected by userfaultfd, so that a write waits for a process? */
static inline bool pagemap_is_watched(uint64_t word)
{
	return word >> 57 & 1;
}

/* Can the page be written to without waiting for a process? (bit 61: of a file, or shared) */
static inline bool pagemap_is_writable(uint64_t word)
{
	return pagemap_is_present(word) && !(word >> 61 & 1) && !pagemap_is_watched(word);
}

#endif
