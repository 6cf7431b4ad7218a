/* SPDX-License-Identifier: MIT */
/* The symbols that client/all_symbols.c finds in made files. LeakSanitizer finds leaks. */
#include "client/all.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/no_memory.h"

enum { NONE, DYNSYM, DYNSTR, SYMTAB, STRTAB, SECTIONS };

#define SYMBOLS 8
#define NAMES   "\0last\0small\0big\0data\0ifunc\0end" /* no NULs after "end" */

/* The file ends with its strings: a read past them is a read past the file. */
struct image {
	ElfW(Ehdr) head;
	ElfW(Shdr) section[SECTIONS];
	ElfW(Sym) dynamic[1];
	ElfW(Sym) symbol[SYMBOLS];
	char names[sizeof(NAMES) - 1];
};

#define BYTES (offsetof(struct image, names) + sizeof(NAMES) - 1)

static char path[] = "/tmp/test_all_symbols.XXXXXX";
static struct image image;
static struct all_symbol *symbols;
static char *names;
static size_t n;

static ElfW(Shdr) section_of(unsigned type, size_t offset, size_t bytes, unsigned link)
{
	return (ElfW(Shdr)){.sh_type = type,
		.sh_offset = offset,
		.sh_size = bytes,
		.sh_link = link,
		.sh_entsize = type == SHT_STRTAB ? 0 : sizeof(ElfW(Sym))};
}

static ElfW(Sym) symbol_of(
	unsigned type, uint64_t address, uint64_t bytes, const char *name, unsigned section)
{
	const char *at = memmem(image.names, sizeof(image.names), name, strlen(name));

	return (ElfW(Sym)){.st_name = (unsigned)(at - image.names),
		.st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
		.st_shndx = (uint16_t)section,
		.st_value = address,
		.st_size = bytes};
}

static void make_image(void)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.head.e_ident, ELFMAG, SELFMAG);
	image.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	image.head.e_shentsize = sizeof(ElfW(Shdr));
	image.head.e_shnum = SECTIONS;
	image.head.e_shoff = offsetof(struct image, section);
	memcpy(image.names, NAMES, sizeof(image.names));
	image.section[DYNSYM] = section_of(
		SHT_DYNSYM, offsetof(struct image, dynamic), sizeof(image.dynamic), DYNSTR);
	image.section[DYNSTR] =
		section_of(SHT_STRTAB, offsetof(struct image, names), sizeof(image.names), 0);
	image.section[SYMTAB] = section_of(
		SHT_SYMTAB, offsetof(struct image, symbol), sizeof(image.symbol), STRTAB);
	image.section[STRTAB] = image.section[DYNSTR];
	image.dynamic[0] = symbol_of(STT_FUNC, 0x10, 1, "big", 1);
	image.symbol[0] = symbol_of(STT_FUNC, 0x300, 8, "last", 1);
	image.symbol[1] = symbol_of(STT_FUNC, 0x200, 9, "big", 1);
	image.symbol[2] = symbol_of(STT_FUNC, 0x200, 8, "small", 1);
	image.symbol[3] = symbol_of(STT_OBJECT, 0x150, 8, "data", 1);
	image.symbol[4] = symbol_of(STT_FUNC, 0, 0, "ifunc", SHN_UNDEF);
	image.symbol[5] = symbol_of(STT_GNU_IFUNC, 0x100, 8, "ifunc", 1);
	image.symbol[6] = symbol_of(STT_FUNC, 0x180, 8, "end", 1);
	image.symbol[7] = symbol_of(STT_FUNC, 0x400, 8, "last", 1);
	image.symbol[7].st_name = sizeof(image.names); /* beyond this table */
}

/* Reads @file. No descriptor may stay open. */
static int look_at(const char *file)
{
	int fd = dup(2), again, r;

	assert_int_equal(close(fd), 0);
	r = all_symbols(file, &symbols, &names, &n);
	again = dup(2);
	assert_int_equal(again, fd);
	assert_int_equal(close(again), 0);
	return r;
}

static int look(size_t bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(&image, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
	return look_at(path);
}

static void forget(void)
{
	free(symbols);
	free(names);
}

static void expect(size_t i, uint64_t address, uint64_t bytes, const char *name)
{
	assert_true(i < n);
	assert_int_equal(symbols[i].address, address);
	assert_int_equal(symbols[i].bytes, bytes);
	assert_string_equal(symbols[i].name, name);
}

static void expect_all(void)
{
	assert_int_equal(n, 5);
	expect(0, 0x100, 8, "ifunc");
	expect(1, 0x180, 8, "end");
	expect(2, 0x200, 8, "small");
	expect(3, 0x200, 9, "big");
	expect(4, 0x300, 8, "last");
	forget();
}

static void expect_none(int r)
{
	assert_int_equal(r, 0);
	assert_null(symbols);
	assert_int_equal(n, 0);
	forget();
}

static void test_all_symbols__functions_in_order(void **state)
{
	int input;

	(void)state;
	make_image();
	assert_int_equal(look(BYTES), 0);
	expect_all();
	/* Descriptor 0 is closed, so the file gets it. */
	input = dup(0);
	(void)close(0);
	assert_int_equal(all_symbols(path, &symbols, &names, &n), 0);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		assert_int_equal(close(input), 0);
	}
	expect_all();
}

/* .dynsym is read only if .symtab is missing, in whatever order they are. */
static void test_all_symbols__the_better_table(void **state)
{
	ElfW(Shdr) dynsym;

	(void)state;
	make_image();
	dynsym = image.section[DYNSYM];
	image.section[DYNSYM] = image.section[SYMTAB];
	image.section[SYMTAB] = dynsym;
	assert_int_equal(look(BYTES), 0);
	expect_all();
	image.section[DYNSYM].sh_type = SHT_PROGBITS;
	assert_int_equal(look(BYTES), 0);
	assert_int_equal(n, 1);
	expect(0, 0x10, 1, "big");
	forget();
	image.section[SYMTAB].sh_type = SHT_PROGBITS;
	expect_none(look(BYTES));
}

/* one name, the empty one */
static void test_all_symbols__the_smallest_tables(void **state)
{
	(void)state;
	make_image();
	image.section[STRTAB].sh_size = 1;
	image.symbol[0].st_name = 0;
	assert_int_equal(look(BYTES), 0);
	assert_int_equal(n, 1);
	expect(0, 0x300, 8, "");
	forget();
	image.section[SYMTAB].sh_size = 0;
	expect_none(look(BYTES));
}

static void test_all_symbols__what_makes_no_sense(void **state)
{
	(void)state;
	make_image();
	expect_none(look(0));
	expect_none(look(sizeof(image.head) - 1));
	expect_none(look(offsetof(struct image, dynamic) - 1));
	expect_none(look(BYTES - 1));
	image.head.e_ident[1]++;
	expect_none(look(BYTES));
	make_image();
	/* the class of the other word size, 32 or 64 bits */
	image.head.e_ident[EI_CLASS] ^= 3;
	expect_none(look(BYTES));
	make_image();
	image.head.e_shentsize--;
	expect_none(look(BYTES));
	make_image();
	image.head.e_shnum = 0;
	expect_none(look(BYTES));
	make_image();
	image.section[SYMTAB].sh_link = SECTIONS;
	expect_none(look(BYTES));
	make_image();
	image.section[SYMTAB].sh_entsize--;
	expect_none(look(BYTES));
	make_image();
	image.section[SYMTAB].sh_offset = sizeof(image) + 1;
	expect_none(look(BYTES));
	make_image();
	image.section[SYMTAB].sh_size = SIZE_MAX;
	expect_none(look(BYTES));
	make_image();
	image.section[STRTAB].sh_offset = SIZE_MAX;
	expect_none(look(BYTES));
}

/* The vdso has no path; a folder can be opened, but not read. */
static void test_all_symbols__what_is_no_file(void **state)
{
	(void)state;
	expect_none(look_at("linux-vdso.so.1"));
	expect_none(look_at("/nonexistent/file"));
	expect_none(look_at("/tmp"));
	expect_none(look_at("/"));
	expect_none(look_at("/dev/null"));
}

/* Each allocation that fails gives -ENOMEM, without a leak. */
static void test_all_symbols__without_memory(void **state)
{
	(void)state;
	make_image();
	assert_int_equal(look(BYTES), 0);
	expect_all();
	for (unsigned long failing = 1;; failing++) {
		int r;

		until_failure = failing;
		r = all_symbols(path, &symbols, &names, &n);
		if (until_failure) {
			until_failure = 0;
			assert_int_equal(r, 0);
			expect_all();
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_null(symbols);
		assert_int_equal(n, 0);
		forget();
	}
}

static int enter(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd) < 0;
}

static int leave(void **state)
{
	(void)state;
	return remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_symbols__functions_in_order),
		cmocka_unit_test(test_all_symbols__the_better_table),
		cmocka_unit_test(test_all_symbols__the_smallest_tables),
		cmocka_unit_test(test_all_symbols__what_makes_no_sense),
		cmocka_unit_test(test_all_symbols__what_is_no_file),
		cmocka_unit_test(test_all_symbols__without_memory),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
