/* SPDX-License-Identifier: MIT */
/* This process's pages, read as the tracing thread reads a target's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/courier.h"
#include "supervisor/os/pages.h"
#include "supervisor/os/remote.h"

#define PATIENCE_NS UINT64_C(30000000000)

struct own {
	struct couriers couriers;
	struct pages pages;
	int fd;
	uint8_t *at; /* four pages; only the second has been touched */
	size_t page;
};

static struct own *open_own(void)
{
	static struct own own;

	own = (struct own){.fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
	if (own.fd < 0)
		skip();
	own.page = pagemap_bytes();
	own.pages = (struct pages){.pagemap_fd = &own.fd, .couriers = &own.couriers};
	own.at = mmap(
		NULL, 4 * own.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(own.at, MAP_FAILED);
	(void)madvise(own.at, 4 * own.page, MADV_NOHUGEPAGE);
	own.at[own.page] = 1;
	return &own;
}

static void close_own(struct own *own)
{
	couriers_release(&own->couriers);
	(void)munmap(own->at, 4 * own->page);
	(void)close(own->fd);
}

/* Repeats pages_cover() while the courier is late: it may get no CPU for a while. */
static int64_t cover(struct own *own, const uint8_t *at, size_t n, enum pages_use use)
{
	uint64_t until = clock_now() + PATIENCE_NS;
	int64_t r;
	bool late;

	do {
		pages_begin(&own->pages);
		r = pages_cover(&own->pages, (int)getpid(), (uintptr_t)at, n, use, &late);
	} while ((late || r == -ETIMEDOUT) && clock_now() < until);
	return r;
}

static void test_pages__what_is_in_memory_needs_no_courier(void **state)
{
	struct own *own = open_own();
	bool late;

	(void)state;
	for (enum pages_use use = PAGES_PEEK; use <= PAGES_WRITE; use++)
		assert_int_equal(pages_cover(&own->pages, (int)getpid(),
					 (uintptr_t)own->at + own->page, own->page, use, &late),
			own->page);
	assert_int_equal(own->couriers.courier[0].state, COURIER_NONE);
	/* The third page is not in memory: only the part before it can be read. */
	assert_int_equal(pages_cover(&own->pages, (int)getpid(), (uintptr_t)own->at + own->page + 5,
				 own->page, PAGES_PEEK, &late),
		own->page - 5);
	assert_false(late);
	assert_int_equal(cover(own, own->at, 1, PAGES_PEEK), -EFAULT);
	assert_int_equal(own->couriers.courier[0].state, COURIER_NONE);
	close_own(own);
}

/* An empty slot of the known pages is 0, which must not mean that page 0 is in memory. */
static void test_pages__the_first_page_is_not_known(void **state)
{
	struct own *own = open_own();
	bool late;

	(void)state;
	for (enum pages_use use = PAGES_PEEK; use <= PAGES_WRITE; use++)
		assert_false(pages_cover(&own->pages, (int)getpid(), 0, 8, use, &late) > 0);
	assert_int_equal(cover(own, NULL, 8, PAGES_READ), -EFAULT);
	/* Nor must an answer about a page of that slot, 512 KiB above. */
	own->pages.known[0] = (PAGES_KNOWN + 1) << 1 | 1;
	assert_int_equal(pages_cover(&own->pages, (int)getpid(), 0, 8, PAGES_PEEK, &late), -EFAULT);
	close_own(own);
}

static void test_pages__a_courier_touches_the_others(void **state)
{
	struct own *own = open_own();

	(void)state;
	assert_int_equal(cover(own, own->at, 3 * own->page, PAGES_READ), 3 * own->page);
	assert_int_not_equal(own->couriers.courier[0].state, COURIER_NONE);
	assert_int_equal(mprotect(own->at + 3 * own->page, own->page, PROT_NONE), 0);
	assert_int_equal(cover(own, own->at, 4 * own->page, PAGES_READ), 3 * own->page);
	assert_int_equal(cover(own, own->at + 3 * own->page, 8, PAGES_READ), -EFAULT);
	assert_int_equal(
		cover(own, (uint8_t *)UINT64_C(0xffffffffffff0000), 8, PAGES_READ), -EFAULT);
	assert_int_equal(cover(own, own->at, 0, PAGES_READ), 0);
	close_own(own);
}

static void test_pages__what_may_be_written(void **state)
{
	struct own *own = open_own();
	int memory = memfd_create("test", MFD_CLOEXEC);
	uint8_t *shared, *private;

	(void)state;
	assert_int_equal(ftruncate(memory, (off_t)own->page), 0);
	shared = mmap(NULL, own->page, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	private = mmap(NULL, own->page, PROT_READ | PROT_WRITE, MAP_PRIVATE, memory, 0);
	assert_int_equal(cover(own, shared, 8, PAGES_WRITE), 8);
	assert_int_equal(cover(own, private, 8, PAGES_WRITE), 8);
	assert_int_equal(cover(own, own->at, own->page, PAGES_WRITE), own->page);
	(void)munmap(shared, own->page);
	(void)munmap(private, own->page);
	(void)close(memory);
	close_own(own);
}

static void test_pages__no_pagemap(void **state)
{
	static const int not_open = -1, unknown = -ENOENT;
	struct own *own = open_own();
	bool late;

	(void)state;
	own->pages.pagemap_fd = &not_open;
	assert_int_equal(cover(own, own->at, own->page, PAGES_READ), own->page);
	assert_int_not_equal(own->couriers.courier[0].state, COURIER_NONE);
	own->pages.pagemap_fd = &unknown;
	assert_int_equal(pages_cover(&own->pages, (int)getpid(), 8, 8, PAGES_READ, &late), 8);
	close_own(own);
}

/* A courier waits on for a page that does not come; other pages are still read. */
static void test_pages__a_page_that_does_not_come(void **state)
{
	struct own *own = open_own();
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register all = {
		.range = {(uintptr_t)own->at, 4 * own->page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_zeropage zero = {.range = {(uintptr_t)own->at, own->page}};
	const struct remote remote = {(int)getpid(), &own->pages, NULL};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	uint64_t until = clock_now() + PATIENCE_NS;
	struct iovec to, from;
	uint8_t word[8];
	bool late;

	(void)state;
	if (fd < 0) {
		close_own(own);
		skip();
	}
	assert_int_equal(ioctl(fd, UFFDIO_API, &api), 0);
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &all), 0);
	assert_int_equal(remote_read(&remote, (uintptr_t)own->at, word, 8), -ETIMEDOUT);
	assert_int_equal(own->couriers.given_up, 1);
	assert_int_equal(own->pages.away, 1);
	/* Meanwhile, missing pages of that process are not waited for. */
	assert_int_equal(
		remote_write(&remote, (uintptr_t)own->at + 2 * own->page, word, 8), -ETIMEDOUT);
	assert_int_equal(remote_read(&remote, (uintptr_t)own->at + own->page, word, 8), 8);
	assert_int_equal(word[0], 1);
	/* Of two pages, the one in memory is covered. A transfer of vectors reads nothing. */
	assert_int_equal(pages_cover(&own->pages, (int)getpid(), (uintptr_t)own->at + own->page,
				 2 * own->page, PAGES_READ, &late),
		own->page);
	assert_true(late);
	to = (struct iovec){word, 8};
	from = (struct iovec){own->at, 8};
	assert_int_equal(remote_read_vector(&remote, &to, &from, 1), -ETIMEDOUT);
	assert_int_equal(own->couriers.courier[1].state, COURIER_NONE);
	assert_int_equal(ioctl(fd, UFFDIO_ZEROPAGE, &zero), 0);
	while (remote_read(&remote, (uintptr_t)own->at, word, 8) != 8)
		assert_true(clock_now() < until);
	assert_int_equal(word[0], 0);
	(void)close(fd);
	close_own(own);
}

static void test_pages__file_systems(void **state)
{
	static const char text[] =
		"21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
		"22 21 0:45 / /mnt/a\\040b rw - fuse.sshfs me@there: rw,user_id=0\n"
		"23 21 0:46 / /mnt/ext4 rw,nosuid shared:3 master:4 - fuseblk /dev/sdb1 rw\n"
		"24 21 0:47 / /dev/shm rw - tmpfs tmpfs rw\n"
		"25 21 0:48 / /n rw - nfs4 there:/ rw\n"
		"26 21 0:49 / /x rw";

	(void)state;
	assert_true(courier_may_write(text, 8, 1));
	assert_true(courier_may_write(text, 0, 47));
	assert_false(courier_may_write(text, 0, 45));
	assert_false(courier_may_write(text, 0, 46));
	assert_false(courier_may_write(text, 0, 48));
	assert_false(courier_may_write(text, 0, 49));
	assert_false(courier_may_write(text, 0, 50));
	assert_false(courier_may_write("", 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages__what_is_in_memory_needs_no_courier),
		cmocka_unit_test(test_pages__the_first_page_is_not_known),
		cmocka_unit_test(test_pages__a_courier_touches_the_others),
		cmocka_unit_test(test_pages__what_may_be_written),
		cmocka_unit_test(test_pages__no_pagemap),
		cmocka_unit_test(test_pages__a_page_that_does_not_come),
		cmocka_unit_test(test_pages__file_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
