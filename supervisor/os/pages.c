/* SPDX-License-Identifier: MIT */
#include "supervisor/os/pages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/courier.h"

/* Maximum pages of one question to pagemap or to a courier. */
#define AT_ONCE 64

static bool is_known(const struct pages *pages, uint64_t page, enum pages_use use)
{
	uint64_t word = pages->known[page % PAGES_KNOWN];

	return word >> 1 == page + 1 && (use != PAGES_WRITE || word & 1);
}

static void learn(struct pages *pages, uint64_t page, bool writable)
{
	pages->known[page % PAGES_KNOWN] = (page + 1) << 1 | writable;
}

/*
 * Returns how many of the @n pages can be used, up to the first that cannot. -ESRCH: the process
 * has no memory any more; -EAGAIN: pagemap is not open.
 */
static int count_usable(struct pages *pages, uint64_t page, unsigned n, enum pages_use use)
{
	uint64_t word[AT_ONCE];
	ssize_t got;
	unsigned i;

	if (*pages->pagemap_fd < 0)
		return -EAGAIN;
	n = n < AT_ONCE ? n : AT_ONCE;
	got = pread(*pages->pagemap_fd, word, n * sizeof(*word), (off_t)(page * sizeof(*word)));
	if (got <= 0)
		return got == 0 ? -ESRCH : 0;
	for (i = 0; i < (size_t)got / sizeof(*word); i++) {
		bool writable = pagemap_is_writable(word[i]);

		if (use == PAGES_WRITE ? !writable : !pagemap_is_present(word[i]))
			break;
		learn(pages, page + i, writable);
	}
	return (int)i;
}

static int send(struct pages *pages, int tid, uint64_t page, unsigned n, enum pages_use use)
{
	int done = couriers_send(pages->couriers, &pages->away, tid, page * pagemap_bytes(),
		n < AT_ONCE ? n : AT_ONCE, use == PAGES_WRITE);

	for (int i = 0; i < done; i++)
		learn(pages, page + (unsigned)i, use == PAGES_WRITE);
	return done;
}

/*
 * Advances *@page to the first page that cannot be used without waiting. Returns a positive number
 * if all pages up to @last can be used; otherwise -errno for the reason, or 0: with PAGES_PEEK, the
 * page is not in memory.
 */
static int find_end(struct pages *pages, int tid, uint64_t *page, uint64_t last, enum pages_use use)
{
	int r = 1;

	while (r > 0 && *page <= last) {
		unsigned n = last - *page < AT_ONCE ? (unsigned)(last - *page) + 1 : AT_ONCE;

		if (is_known(pages, *page, use)) {
			(*page)++;
			continue;
		}
		r = count_usable(pages, *page, n, use);
		if ((r == 0 || r == -EAGAIN) && use != PAGES_PEEK) {
			pages->wary_until_ns = clock_now() + PAGES_WARY_NS;
			r = send(pages, tid, *page, n, use);
		}
		*page += r > 0 ? (unsigned)r : 0;
	}
	return r;
}

void pages_begin(struct pages *pages)
{
	uint64_t now = clock_now();

	if (now < pages->until_ns && now >= pages->wary_until_ns)
		return;
	memset(pages->known, 0, sizeof(pages->known));
	pages->until_ns = now + PAGES_KEPT_NS;
}

int64_t pages_cover(
	struct pages *pages, int tid, uint64_t at, size_t n, enum pages_use use, bool *ret_late)
{
	uint64_t page = at / pagemap_bytes(), end;
	int r;

	*ret_late = false;
	if (!n || at + n < at || at >> 62)
		return n ? -EFAULT : 0;
	if (*pages->pagemap_fd < -1 && *pages->pagemap_fd != -EMFILE &&
		*pages->pagemap_fd != -ENFILE)
		return (int64_t)n;
	r = find_end(pages, tid, &page, (at + n - 1) / pagemap_bytes(), use);
	end = page * pagemap_bytes();
	*ret_late = r == -ETIMEDOUT;
	if (end <= at)
		return r < 0 && r != -EAGAIN ? r : -EFAULT;
	return end - at < n ? (int64_t)(end - at) : (int64_t)n;
}

void pages_forget(struct pages *pages)
{
	pages->until_ns = 0;
}
