/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/pagemap has a word of 8 bytes for each page, at the file offset 8 * page number
 * (Documentation/admin-guide/mm/pagemap.rst).
 */
#ifndef SUPERVISOR_PAGEMAP_H
#define SUPERVISOR_PAGEMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Returns the size of this machine's pages. */
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
