/* SPDX-License-Identifier: MIT */
/* Exported symbols of the C library, read from its file and from this process's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <endian.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/maps_line.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/exported.h"
#include "symbolizer/memory_image.h"
#include "symbolizer/symtab.h"

struct library {
	void *handle;
	uint64_t bias;
	char path[512];
	struct elfimage memory, file;
};

/* Copies the image from the mapping of the library file's beginning on. */
static void open_library(struct library *library)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct link_map *map;
	struct maps_line line;
	char text[1024];
	bool found = false;
	int fd;

	*library = (struct library){.handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)};
	assert_non_null(maps);
	assert_non_null(library->handle);
	assert_int_equal(dlinfo(library->handle, RTLD_DI_LINKMAP, &map), 0);
	library->bias = map->l_addr;
	while (!found && fgets(text, sizeof(text), maps))
		found = maps_line_parse(text, strcspn(text, "\n"), &line) == 0 &&
			line.start == map->l_addr && line.offset == 0;
	assert_true(found);
	assert_int_equal(fclose(maps), 0);
	(void)snprintf(
		library->path, sizeof(library->path), "%.*s", (int)line.name_bytes, line.name);
	assert_int_equal(memory_image(NULL, getpid(), &line, NULL, &library->memory), 0);
	assert_int_equal(elfimage_read_headers(&library->memory), 0);
	library->memory.loaded = library->bias;
	fd = open(library->path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elfimage_map(&library->file, fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(elfimage_read_headers(&library->file), 0);
}

static void release(struct library *library)
{
	elfimage_release(&library->memory);
	elfimage_release(&library->file);
	assert_int_equal(dlclose(library->handle), 0);
}

/* The library's own function: the name may stand for a sanitizer's in its place. */
static void assert_symbol(
	const struct symtab *symtab, const struct library *library, const char *name)
{
	const uintptr_t address = (uintptr_t)dlsym(library->handle, name);
	const struct symbol *symbol = symtab_find(symtab, address - library->bias);

	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
}

static void test_exported__functions_are_found_in_file_and_memory(void **state)
{
	struct library library;
	struct symtab symtab[2] = {{0}, {0}};

	(void)state;
	open_library(&library);
	for (int i = 0; i < 2; i++) {
		assert_true(symtab_add_exported(
				    &symtab[i], i ? &library.memory : &library.file, NULL) > 1000);
		symtab_seal(&symtab[i]);
		assert_symbol(&symtab[i], &library, "qsort");
		assert_symbol(&symtab[i], &library, "fgets");
	}
	assert_int_equal(symtab[0].n, symtab[1].n);
	for (size_t i = 0; i < symtab[0].n; i++) {
		assert_int_equal(symtab[0].symbols[i].svma, symtab[1].symbols[i].svma);
		assert_string_equal(symtab[0].symbols[i].name, symtab[1].symbols[i].name);
	}
	symtab_release(&symtab[0]);
	symtab_release(&symtab[1]);
	release(&library);
}

/* A file with one symbol and three PT_DYNAMIC, of which the last has no bytes. */
struct made {
	Elf64_Ehdr head;
	Elf64_Phdr phdr[4];
	Elf64_Dyn first[2], last[4];
	Elf64_Sym symbols[2];
	uint32_t hash[5]; /* one bucket, two symbols: the bucket, and the chain */
	char strings[5];
};

#define MADE_AT            UINT64_C(0x1000)
#define MADE_ADDRESS(part) (MADE_AT + offsetof(struct made, part))

static void make(struct made *made)
{
	*made = (struct made){
		.head = {.e_ident = ELFMAG,
			.e_phoff = offsetof(struct made, phdr),
			.e_phentsize = sizeof(made->phdr[0]),
			.e_phnum = 4},
		.phdr = {{.p_type = PT_DYNAMIC,
				 .p_vaddr = MADE_ADDRESS(first),
				 .p_filesz = sizeof(made->first)},
			{.p_type = PT_DYNAMIC,
				.p_vaddr = MADE_ADDRESS(last),
				.p_filesz = sizeof(made->last)},
			{.p_type = PT_DYNAMIC, .p_vaddr = MADE_ADDRESS(first)},
			{.p_type = PT_LOAD,
				.p_vaddr = MADE_AT,
				.p_filesz = sizeof(*made),
				.p_memsz = sizeof(*made)}},
		.first = {{DT_GNU_HASH, {MADE_ADDRESS(head)}}},
		.last = {{DT_SYMTAB, {MADE_ADDRESS(symbols)}}, {DT_STRTAB, {MADE_ADDRESS(strings)}},
			{DT_HASH, {MADE_ADDRESS(hash)}}},
		.symbols = {{0}, {.st_name = 1, .st_shndx = 1, .st_value = 0x1234}},
		.hash = {1, 2, 1, 0, 0},
		.strings = "\0one",
	};
	made->head.e_ident[EI_CLASS] = ELFCLASS64;
	made->head.e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
}

static void test_exported__the_last_dynamic_segment_counts(void **state)
{
	struct elfimage image;
	struct exported_list list;
	struct made *made = malloc(sizeof(*made));
	const char *name;
	Elf64_Sym symbol;

	(void)state;
	assert_non_null(made);
	make(made);
	elfimage_adopt(&image, (uint8_t *)made, sizeof(*made));
	assert_int_equal(elfimage_read_headers(&image), 0);
	assert_true(exported_open(&image, &list));
	assert_int_equal(list.n, 2);
	assert_true(exported_get(&list, 1, &symbol, &name));
	assert_string_equal(name, "one");
	assert_int_equal(symbol.st_value, 0x1234);
	elfimage_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exported__functions_are_found_in_file_and_memory),
		cmocka_unit_test(test_exported__the_last_dynamic_segment_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
