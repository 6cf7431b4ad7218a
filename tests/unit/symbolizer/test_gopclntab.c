/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/gopclntab.h"
#include "tests/unit/go_fixture.h"

struct opened {
	struct elfimage image;
	struct pool strings;
	struct gopclntab *table;
};

static int open_bytes(struct opened *o, uint8_t *data)
{
	*o = (struct opened){0};
	elfimage_adopt(&o->image, data, GO_BYTES);
	assert_int_equal(elfimage_read_headers(&o->image), 0);
	return gopclntab_open(&o->image, NULL, &o->strings, &o->table);
}

static void open_fixture(struct opened *o, bool since_120, bool start)
{
	struct go_fixture go;

	go_build(&go, since_120, start);
	assert_int_equal(open_bytes(o, go.data), 0);
}

static void close_it(struct opened *o)
{
	gopclntab_free(o->table);
	pool_release(&o->strings);
	elfimage_release(&o->image);
}

static void test_gopclntab__finds_the_function_of_an_address(void **state)
{
	struct gopclntab_function f;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct opened o;

		open_fixture(&o, i & 1, i & 2);
		assert_true(gopclntab_find(o.table, GO_TEXT, &f));
		assert_string_equal(f.name, "main.main");
		assert_int_equal(f.start, GO_TEXT);
		assert_int_equal(f.end, GO_TEXT + 0x40);
		assert_int_equal(f.kind, GOPCLNTAB_PLAIN);
		assert_true(gopclntab_find(o.table, GO_TEXT + 0x5f, &f));
		assert_string_equal(f.name, "runtime.systemstack");
		assert_int_equal(f.kind, GOPCLNTAB_LEAVES);
		assert_true(gopclntab_find(o.table, GO_TEXT + 0x60, &f));
		assert_int_equal(f.kind, GOPCLNTAB_TOP);
		assert_true(gopclntab_find(o.table, GO_TEXT + 0x70, &f));
		assert_int_equal(f.kind, GOPCLNTAB_LEFT);
		assert_false(gopclntab_find(o.table, GO_TEXT + 0x78, &f));
		assert_false(gopclntab_find(o.table, GO_TEXT - 1, &f));
		close_it(&o);
	}
}

static void test_gopclntab__tells_the_depth_of_the_stack(void **state)
{
	static const struct {
		uint64_t at;
		int64_t depth;
	} cases[] = {{0, 0}, {3, 0}, {4, 24}, {0x3b, 24}, {0x3c, 0}, {0x3f, 0}};
	struct gopclntab_function f;
	struct opened o;

	(void)state;
	open_fixture(&o, true, true);
	assert_true(gopclntab_find(o.table, GO_TEXT, &f));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			gopclntab_depth(o.table, &f, GO_TEXT + cases[i].at), cases[i].depth);
	/* The table of stack depths ends before this address. */
	assert_int_equal(gopclntab_depth(o.table, &f, GO_TEXT + 0x40), -ENOENT);
	close_it(&o);
}

static void test_gopclntab__tells_inlined_calls_and_lines(void **state)
{
	struct debuginfo_frame frames[DEBUGINFO_FRAMES_MAX];

	(void)state;
	for (unsigned since_120 = 0; since_120 < 2; since_120++) {
		struct opened o;

		open_fixture(&o, since_120, true);
		assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x18, 128, frames), 3);
		assert_string_equal(frames[0].name, "main.inner");
		assert_string_equal(frames[0].file, "/src/main.go");
		assert_int_equal(frames[0].line, 31);
		assert_true(frames[0].inlined);
		assert_int_equal(frames[0].function_line, since_120 ? 30 : 0);
		assert_string_equal(frames[1].name, "main.outer");
		assert_int_equal(frames[1].line, 11);
		assert_true(frames[1].inlined);
		assert_string_equal(frames[2].name, "main.main");
		assert_int_equal(frames[2].line, 11);
		assert_false(frames[2].inlined);
		assert_int_equal(frames[2].function_line, since_120 ? 9 : 0);
		assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x38, 128, frames), 1);
		assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x80, 128, frames), 0);
		assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x18, 1, frames), 1);
		assert_string_equal(frames[0].name, "main.main");
		close_it(&o);
	}
}

/* In Go 1.27 a length follows the address of the types; inlined calls are three words on. */
static void test_gopclntab__tells_inlined_calls_of_go_1_27(void **state)
{
	struct debuginfo_frame frames[DEBUGINFO_FRAMES_MAX];
	struct go_fixture go;
	struct opened o;

	(void)state;
	go_build(&go, true, false);
	go_put(&go, GO_MODULE + 0x10 + 8 * 37, 0x2000, 8);
	go_put(&go, GO_MODULE + 0x10 + 8 * 38, 0x100, 8);
	go_put(&go, GO_MODULE + 0x10 + 8 * 40, 0x80, 8);
	go_put(&go, GO_MODULE + 0x10 + 8 * 43, GO_TREE, 8);
	assert_int_equal(open_bytes(&o, go.data), 0);
	assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x18, 128, frames), 3);
	assert_string_equal(frames[0].name, "main.inner");
	assert_string_equal(frames[1].name, "main.outer");
	close_it(&o);
}

static void test_gopclntab__refuses_what_does_not_fit(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
	} changes[] = {
		{GO_TABLE, 0xfffffffb},     /* an unknown version */
		{GO_TABLE + 8, 0},          /* no functions */
		{GO_TABLE + 8, UINT64_MAX}, /* more functions than fit into the file */
		{GO_TABLE + 56, 0x100000},  /* a part outside of the file */
		{GO_TABLE + 0x508, 0x3f},   /* a function that begins elsewhere */
		/* nothing says where the code is, neither module data nor header */
		{GO_MODULE + 0x10 + 8 * 22, 0x10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct gopclntab_function f;
		struct go_fixture go;
		struct opened o;
		int r;

		go_build(&go, true, false);
		go_put(&go, changes[i].at, changes[i].value, i ? 8 : 4);
		r = open_bytes(&o, go.data);
		if (i == 4) {
			assert_int_equal(r, 0);
			assert_false(gopclntab_find(o.table, GO_TEXT + 0x48, &f));
		} else {
			assert_int_equal(r, -ENOENT);
		}
		close_it(&o);
	}
}

/* A position-independent program of the C linker has sections, but none for the table. */
static void test_gopclntab__finds_a_table_without_a_section(void **state)
{
	static const char strings[] = "\0.shstrtab";
	const Elf64_Shdr sections[] = {{0},
		{.sh_name = 1,
			.sh_type = SHT_STRTAB,
			.sh_offset = 0x900,
			.sh_size = sizeof(strings),
			.sh_addralign = 1}};
	struct gopclntab_function f;
	struct go_fixture go;
	struct opened o = {0};
	struct elffile elf = {0};

	(void)state;
	go_build(&go, true, false);
	memcpy(go.data + 0x800, sections, sizeof(sections));
	memcpy(go.data + 0x900, strings, sizeof(strings));
	go_put(&go, offsetof(Elf64_Ehdr, e_shoff), 0x800, 8);
	go_put(&go, offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), 2);
	go_put(&go, offsetof(Elf64_Ehdr, e_shnum), 2, 2);
	go_put(&go, offsetof(Elf64_Ehdr, e_shstrndx), 1, 2);
	elfimage_adopt(&o.image, go.data, GO_BYTES);
	assert_int_equal(elfimage_read_headers(&o.image), 0);
	assert_int_equal(elffile_open(&elf, &o.image), 0);
	assert_int_equal(gopclntab_open(&o.image, &elf, &o.strings, &o.table), 0);
	assert_true(gopclntab_find(o.table, GO_TEXT + 0x5f, &f));
	assert_string_equal(f.name, "runtime.systemstack");
	gopclntab_free(o.table);
	/* Go did not link this file: no search. */
	o.image.go = false;
	assert_int_equal(gopclntab_open(&o.image, &elf, &o.strings, &o.table), -ENOENT);
	elffile_close(&elf);
	o.table = NULL;
	close_it(&o);
}

/*
 * The program is stripped and has thread-local memory of C. An instruction in runtime.systemstack
 * says where "g" is.
 */
static void test_gopclntab__finds_g_in_code(void **state)
{
	static const uint8_t load[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xa8, 0xff, 0xff, 0xff};
	const Elf64_Phdr tls = {.p_type = PT_TLS, .p_memsz = 0x78, .p_align = 8};
	struct go_fixture go;
	struct opened o;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		go_build(&go, true, true);
		memcpy(go.data + sizeof(Elf64_Ehdr) + 4 * sizeof(tls), &tls, sizeof(tls));
		go_put(&go, offsetof(Elf64_Ehdr, e_phnum), 5, 2);
		/* Behind the end of the function (i is 1) the instruction is ignored. */
		memcpy(go.data + GO_TEXT + (i ? 0x5a : 0x44), load, sizeof(load));
		assert_int_equal(open_bytes(&o, go.data), 0);
		assert_int_equal(gopclntab_g_below(o.table), i ? 0 : 0x58);
		close_it(&o);
	}
}

/* The inlined call claims to be inlined into itself. */
static void test_gopclntab__ends_a_circle_of_inlined_calls(void **state)
{
	struct debuginfo_frame frames[DEBUGINFO_FRAMES_MAX];
	struct go_fixture go;
	struct opened o;

	(void)state;
	go_build(&go, true, true);
	go_put(&go, GO_TREE + 16 + 8, 0x18, 4);
	assert_int_equal(open_bytes(&o, go.data), 0);
	assert_int_equal(gopclntab_frames(o.table, GO_TEXT + 0x18, 20, frames), 20);
	close_it(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gopclntab__finds_the_function_of_an_address),
		cmocka_unit_test(test_gopclntab__tells_the_depth_of_the_stack),
		cmocka_unit_test(test_gopclntab__tells_inlined_calls_and_lines),
		cmocka_unit_test(test_gopclntab__tells_inlined_calls_of_go_1_27),
		cmocka_unit_test(test_gopclntab__refuses_what_does_not_fit),
		cmocka_unit_test(test_gopclntab__finds_a_table_without_a_section),
		cmocka_unit_test(test_gopclntab__finds_g_in_code),
		cmocka_unit_test(test_gopclntab__ends_a_circle_of_inlined_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
