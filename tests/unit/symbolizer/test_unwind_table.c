/* SPDX-License-Identifier: MIT */
/* The search table in .eh_frame_hdr of this program's file, as it is and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/module.h"
#include "symbolizer/unwind_table.h"

#define HEAD_BYTES 12u /* of .eh_frame_hdr, before its table */
#define PAIR_BYTES 8u

struct opened {
	struct symbolizer *symbolizer;
	struct module *module;
	uint8_t *pairs; /* of the table, in a copy of the file */
	size_t n;
};

static uint8_t *read_self(size_t *ret_bytes)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint8_t *data;
	struct stat st;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	data = malloc((size_t)st.st_size);
	assert_non_null(data);
	assert_int_equal(read(fd, data, (size_t)st.st_size), st.st_size);
	assert_int_equal(close(fd), 0);
	*ret_bytes = (size_t)st.st_size;
	return data;
}

static void open_self(struct opened *o)
{
	const struct symbolizer_options options = {
		.size = sizeof(options), .debug_directories = "/nonexistent"};
	size_t bytes, left;
	uint8_t *data = read_self(&bytes);
	uint32_t count;

	assert_int_equal(symbolizer_new(&options, &o->symbolizer), 0);
	o->module = module_special(o->symbolizer, "/self");
	assert_non_null(o->module);
	elfimage_adopt(&o->module->image, data, bytes);
	assert_int_equal(elfimage_read_headers(&o->module->image), 0);
	o->module->headers_ok = true;
	for (size_t i = 0; i < o->module->image.n_phdr; i++) {
		const Elf64_Phdr *p = &o->module->image.phdr[i];

		if (p->p_type != PT_GNU_EH_FRAME)
			continue;
		o->pairs = data + p->p_offset + HEAD_BYTES;
		memcpy(&count, o->pairs - sizeof(count), sizeof(count));
		left = bytes - p->p_offset - HEAD_BYTES;
		o->n = count;
		assert_true(o->n > 3 && o->n <= left / PAIR_BYTES);
	}
	assert_non_null(o->pairs);
}

/* Finds the entry of each function with one of these addresses. */
static void assert_found(struct opened *o)
{
	struct unwind_entry entry;
	unsigned found = 0;

	for (size_t i = 0; i < o->module->image.n_phdr; i++) {
		const Elf64_Phdr *p = &o->module->image.phdr[i];

		for (uint64_t at = 0; p->p_type == PT_LOAD && p->p_flags & PF_X && at < p->p_memsz;
			at += 16) {
			if (unwind_table_find(o->module, p->p_vaddr + at, &entry) < 0)
				continue;
			assert_true(entry.low <= p->p_vaddr + at && entry.high > p->p_vaddr + at);
			found++;
		}
	}
	assert_true(found > o->n);
}

static void test_unwind_table__finds_all(void **state)
{
	struct opened o = {0};

	(void)state;
	open_self(&o);
	assert_found(&o);
	symbolizer_free(o.symbolizer);
}

/* lld takes addresses below the table for high ones: the first ones come last. */
static void test_unwind_table__a_table_out_of_order_is_not_searched(void **state)
{
	struct opened o = {0};
	uint8_t first[2 * PAIR_BYTES];
	size_t rest;

	(void)state;
	open_self(&o);
	rest = o.n * PAIR_BYTES - sizeof(first);
	memcpy(first, o.pairs, sizeof(first));
	memmove(o.pairs, o.pairs + sizeof(first), rest);
	memcpy(o.pairs + rest, first, sizeof(first));
	assert_found(&o);
	symbolizer_free(o.symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_table__finds_all),
		cmocka_unit_test(test_unwind_table__a_table_out_of_order_is_not_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
