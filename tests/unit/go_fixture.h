/* SPDX-License-Identifier: MIT */
/*
 * An ELF file with the table of a Go program (symbolizer/gopclntab.h) and no section headers:
 *
 *	0x0400  a note of Go's linker
 *	0x1000  code: main.main 0x00 to 0x3f, runtime.systemstack to 0x5f, runtime.goexit to 0x6f,
 *		runtime.systemstack_switch to 0x77
 *	0x2000  the table, and the tree of inlined calls at 0x2f00
 *	0x3000  moduledata
 *
 * Stack depth in main.main: 0 bytes up to 0x4, 24 up to 0x3c, then 0. main.inner is inlined into
 * main.outer, which is inlined into main.main. The code from 0x10 to 0x20 is that of main.inner.
 */
#ifndef TESTS_UNIT_GO_FIXTURE_H
#define TESTS_UNIT_GO_FIXTURE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	GO_TEXT = 0x1000,
	GO_TABLE = 0x2000,
	GO_TREE = 0x2f00,
	GO_NOTE = 0x400,
	GO_MODULE = 0x3000,
	GO_BYTES = 0x3200,
	GO_FUNCTIONS = 4,
};

struct go_fixture {
	uint8_t *data; /* GO_BYTES; a file offset is the address */
	bool since_120;
	/* offsets in the table where the next entries go */
	size_t names, units, files, pcs, functions;
};

static inline void go_put(struct go_fixture *go, size_t at, uint64_t value, size_t bytes)
{
	memcpy(go->data + at, &value, bytes);
}

/* Appends a name. Returns its offset from @part, where the names or the files begin. */
static inline uint32_t go_string(struct go_fixture *go, size_t part, size_t *next, const char *text)
{
	size_t at = *next;

	memcpy(go->data + GO_TABLE + at, text, strlen(text) + 1);
	*next += strlen(text) + 1;
	return (uint32_t)(at - part);
}

/* Appends a pc table of pairs {value, bytes of code}, all below 128. */
static inline uint32_t go_pcs(struct go_fixture *go, const int (*run)[2], size_t n)
{
	size_t at = go->pcs;
	int value = -1;

	for (size_t i = 0; i < n; i++) {
		int change = run[i][0] - value;
		unsigned zigzag = change < 0 ? ((unsigned)-change << 1) - 1 : (unsigned)change << 1;

		go->data[GO_TABLE + go->pcs++] = (uint8_t)zigzag;
		go->data[GO_TABLE + go->pcs++] = (uint8_t)run[i][1];
		value = run[i][0];
	}
	go->data[GO_TABLE + go->pcs++] = 0;
	return (uint32_t)(at - 0x300);
}

/* Sets field @i of the function whose record is at offset @record of the functions. */
static inline void go_field(struct go_fixture *go, size_t record, unsigned i, uint32_t value)
{
	go_put(go, GO_TABLE + 0x500 + record + 4 * i, value, 4);
}

static inline void go_headers(struct go_fixture *go)
{
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4};
	static const uint8_t note[] = {
		4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 'G', 'o', 0, 0, 'i', 'd', 0, 0};
	const Elf64_Phdr notes = {.p_type = PT_NOTE,
		.p_flags = PF_R,
		.p_offset = GO_NOTE,
		.p_filesz = sizeof(note),
		.p_memsz = sizeof(note),
		.p_align = 4};
	static const struct {
		uint32_t flags, at, bytes;
	} segments[] = {{PF_R | PF_X, GO_TEXT, 0x100}, {PF_R, GO_TABLE, 0x1000},
		{PF_R | PF_W, GO_MODULE, 0x200}};

	memcpy(go->data, &head, sizeof(head));
	memcpy(go->data + GO_NOTE, note, sizeof(note));
	memcpy(go->data + sizeof(head) + 3 * sizeof(notes), &notes, sizeof(notes));
	for (size_t i = 0; i < 3; i++) {
		const Elf64_Phdr p = {.p_type = PT_LOAD,
			.p_flags = segments[i].flags,
			.p_offset = segments[i].at,
			.p_vaddr = segments[i].at,
			.p_filesz = segments[i].bytes,
			.p_memsz = segments[i].bytes};

		memcpy(go->data + sizeof(head) + i * sizeof(p), &p, sizeof(p));
	}
}

/* Appends a function. @line: of its declaration, from Go 1.20 on. Returns the next offset. */
static inline size_t go_record(struct go_fixture *go, size_t at, uint32_t entry, const char *name,
	uint32_t pcsp, bool top, uint32_t line)
{
	unsigned flags = 9 + go->since_120;

	go_field(go, at, 0, entry);
	go_field(go, at, 1, go_string(go, 0x100, &go->names, name));
	go_field(go, at, 4, pcsp);
	if (go->since_120)
		go_field(go, at, 9, line);
	go_field(go, at, flags, (uint32_t)top << 8);
	return at + 4 * (flags + 1);
}

static inline void go_main(struct go_fixture *go, size_t at)
{
	static const int depth[][2] = {{0, 4}, {24, 0x38}, {0, 4}}, file[][2] = {{0, 0x40}};
	static const int line[][2] = {{10, 0x10}, {31, 0x10}, {11, 0x20}};
	static const int call[][2] = {{-1, 0x10}, {1, 0x10}, {0, 4}, {-1, 0x1c}};
	uint32_t outer, inner;
	size_t each = go->since_120 ? 16 : 20, after;

	after = go_record(go, at, 0, "main.main", go_pcs(go, depth, 3), false, 9);
	go_field(go, at, 5, go_pcs(go, file, 1));
	go_field(go, at, 6, go_pcs(go, line, 3));
	go_field(go, at, 7, 3);
	go_field(go, at, 8, 0);
	go_field(go, at, 9 + go->since_120, 4u << 24);
	go_put(go, GO_TABLE + 0x500 + after + 8, go_pcs(go, call, 4), 4);
	for (unsigned i = 0; i < 4; i++)
		go_put(go, GO_TABLE + 0x500 + after + 12 + 4 * i, i == 3 ? 0 : UINT32_MAX, 4);
	outer = go_string(go, 0x100, &go->names, "main.outer");
	inner = go_string(go, 0x100, &go->names, "main.inner");
	/* Call 1 (main.inner) was made at 0x20, in call 0 (main.outer), which was made at 0x30. */
	for (unsigned i = 0; i < 2; i++) {
		size_t name = GO_TREE + i * each + each - (go->since_120 ? 12 : 8);

		go_put(go, name, i ? inner : outer, 4);
		go_put(go, name + 4, i ? 0x20 : 0x30, 4);
		if (go->since_120)
			go_put(go, name + 8, i ? 30 : 20, 4);
	}
}

/* Builds the file; free(go->data) frees it. @start: the header says where the code begins. */
static inline void go_build(struct go_fixture *go, bool since_120, bool start)
{
	static const int none[][2] = {{0, 0x20}};
	size_t record[GO_FUNCTIONS] = {0x40};
	uint32_t entry[GO_FUNCTIONS + 1] = {0, 0x40, 0x60, 0x70, 0x78};

	*go = (struct go_fixture){
		calloc(1, GO_BYTES), since_120, 0x100, 0x200, 0x280, 0x301, 0x500};
	go_headers(go);
	go_put(go, GO_TABLE, since_120 ? 0xfffffff1 : 0xfffffff0, 4);
	go_put(go, GO_TABLE + 6, 0x0801, 2);
	go_put(go, GO_TABLE + 8, GO_FUNCTIONS, 8);
	go_put(go, GO_TABLE + 16, 1, 8);
	go_put(go, GO_TABLE + 24, start ? GO_TEXT : 0, 8);
	go_put(go, GO_TABLE + 32, 0x100, 8);
	go_put(go, GO_TABLE + 40, go->units, 8);
	go_put(go, GO_TABLE + 48, go->files, 8);
	go_put(go, GO_TABLE + 56, 0x300, 8);
	go_put(go, GO_TABLE + 64, go->functions, 8);
	(void)go_string(go, 0x280, &go->files, "/src/main.go");
	go_main(go, record[0]);
	record[1] = 0xa0;
	record[2] = go_record(
		go, record[1], entry[1], "runtime.systemstack", go_pcs(go, none, 1), false, 0);
	record[3] =
		go_record(go, record[2], entry[2], "runtime.goexit", go_pcs(go, none, 1), true, 0);
	(void)go_record(go, record[3], entry[3], "runtime.systemstack_switch", go_pcs(go, none, 1),
		false, 0);
	for (unsigned i = 0; i <= GO_FUNCTIONS; i++) {
		go_put(go, GO_TABLE + 0x500 + 8 * i, entry[i], 4);
		if (i < GO_FUNCTIONS)
			go_put(go, GO_TABLE + 0x504 + 8 * i, record[i], 4);
	}
	go_put(go, GO_MODULE + 0x10, GO_TABLE, 8);
	go_put(go, GO_MODULE + 0x10 + 8 * 22, GO_TEXT, 8);
	go_put(go, GO_MODULE + 0x10 + 8 * (since_120 ? 40 : 38), GO_TREE, 8);
}

#endif
