/* SPDX-License-Identifier: MIT */
/* Images of memory files whose first and last page this process maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/memory_image.h"

enum { LARGE = 255 << 20, SMALL = 1 << 20 };

struct mapped {
	uint8_t *pages; /* the first page of the file, and its last one */
	size_t page, bytes;
	struct maps_line line;
};

static bool is_first(void *context, const struct maps_line *line)
{
	struct mapped *mapped = context;

	if (line->start > (uintptr_t)mapped->pages || line->end <= (uintptr_t)mapped->pages)
		return false;
	mapped->line = *line;
	return true;
}

/* The file has at least @bytes, begins with an ELF magic, and has a 1 in the last page. */
static void map_file(struct mapped *mapped, size_t bytes)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	mapped->page = (size_t)sysconf(_SC_PAGESIZE);
	mapped->bytes = bytes + mapped->page;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)mapped->bytes), 0);
	assert_int_equal(pwrite(fd, "\177ELF", 4, 0), 4);
	assert_int_equal(pwrite(fd, "\1", 1, (off_t)bytes), 1);
	mapped->pages = mmap(NULL, 2 * mapped->page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(mapped->pages != MAP_FAILED);
	assert_true(mmap(mapped->pages + mapped->page, mapped->page, PROT_READ,
			    MAP_PRIVATE | MAP_FIXED, fd, (off_t)bytes) != MAP_FAILED);
	assert_int_equal(close(fd), 0);
	assert_true(maps_line_find("/proc/self/maps", is_first, mapped));
}

static int assemble(const struct mapped *mapped, struct budget *all, struct elfimage *image)
{
	return memory_image(NULL, getpid(), &mapped->line, all, image);
}

static void unmap(struct mapped *mapped)
{
	assert_int_equal(munmap(mapped->pages, 2 * mapped->page), 0);
}

/* How many pages of @image are in memory. */
static size_t count_pages(const struct elfimage *image, size_t page)
{
	uintptr_t first = (uintptr_t)image->data & ~(page - 1);
	size_t pages = ((uintptr_t)image->data + image->bytes - first + page - 1) / page, n = 0;
	unsigned char *in_memory = calloc(pages, 1);

	assert_non_null(in_memory);
	assert_int_equal(mincore((void *)first, pages * page, in_memory), 0);
	for (size_t i = 0; i < pages; i++)
		n += in_memory[i] & 1;
	free(in_memory);
	return n;
}

static void test_memory_image__takes_memory_for_what_is_mapped(void **state)
{
	struct mapped mapped;
	struct elfimage image;

	(void)state;
	map_file(&mapped, LARGE);
	assert_int_equal(assemble(&mapped, NULL, &image), 0);
	assert_int_equal(image.bytes, mapped.bytes);
	assert_true(count_pages(&image, mapped.page) <= 2);
	assert_memory_equal(image.data, mapped.pages, mapped.page);
	assert_memory_equal(image.data + LARGE, mapped.pages + mapped.page, mapped.page);
	assert_int_equal(image.data[LARGE / 2], 0);
	elfimage_release(&image);
	unmap(&mapped);
}

static void test_memory_image__all_images_have_one_budget(void **state)
{
	struct elfimage image[3];
	struct mapped large, small;
	struct budget all;

	(void)state;
	map_file(&large, LARGE);
	map_file(&small, SMALL);
	budget_init_all(&all, NULL);
	all.limit = LARGE + LARGE / 2;
	assert_int_equal(assemble(&large, &all, &image[0]), 0);
	assert_int_equal(all.used, large.bytes);
	assert_int_equal(assemble(&large, &all, &image[1]), -E2BIG);
	assert_null(image[1].data);
	assert_int_equal(all.used, large.bytes);
	/* Smaller ones still fit. */
	assert_int_equal(assemble(&small, &all, &image[2]), 0);
	assert_int_equal(all.used, large.bytes + small.bytes);
	elfimage_release(&image[0]);
	elfimage_release(&image[2]);
	budget_release(&all);
	unmap(&large);
	unmap(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_image__takes_memory_for_what_is_mapped),
		cmocka_unit_test(test_memory_image__all_images_have_one_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
