/* SPDX-License-Identifier: MIT */
/*
 * Names the stubs through which code calls other objects. Symbol tables lack stubs, but a stub
 * jumps through a slot of the GOT, and the slot's relocation names the symbol. x86-64 and i386:
 *
 *	[f3 0f 1e fa]	    endbr64			(with -fcf-protection)
 *	[f2] ff 25 disp32   jmp *slot(%rip)		(i386: absolute address)
 *	ff a3 disp32	    jmp *slot(%ebx)		(i386, position-independent)
 *	68 index32	    push $relocation		(in .plt if .plt.sec has the jumps)
 *
 * aarch64: adrp x16, page; ldr x17, [x16, #low].
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/pool.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/symtab.h"

struct slot {
	uint64_t got;
	const char *name; /* points into the dynamic string table */
};

struct slots {
	struct slot *slots;
	size_t n;
	size_t n_jumps;
	const char **jumps; /* symbol names by index of the relocation in .rela.plt */
	uint64_t got_base; /* the value of %ebx on i386 */
};

static void read_relocation(const struct elffile *file, const struct elffile_section *table,
	size_t i, uint64_t *ret_got, uint64_t *ret_symbol)
{
	size_t addend = table->type == SHT_RELA;

	if (file->elf64) {
		const uint8_t *at = table->data + i * (16 + 8 * addend);

		*ret_got = load_u64(at);
		*ret_symbol = ELF64_R_SYM(load_u64(at + 8));
	} else {
		const uint8_t *at = table->data + i * (8 + 4 * addend);

		*ret_got = load_u32(at);
		*ret_symbol = ELF32_R_SYM(load_u32(at + 4));
	}
}

static const char *symbol_name(struct elffile *file, const struct elffile_section *dynsym,
	const struct elffile_section *dynstr, uint64_t index)
{
	uint64_t entry = file->elf64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	/* st_name is the first word in both classes of ELF. */
	if (index == 0 || index >= dynsym->bytes / entry)
		return NULL;
	return elffile_string(dynstr, load_u32(dynsym->data + index * entry));
}

static int add_relocations(
	struct slots *slots, struct elffile *file, const struct elffile_section *table, bool jumps)
{
	size_t entry = (file->elf64 ? 16 : 8) +
		(table->type != SHT_RELA      ? 0
				: file->elf64 ? sizeof(uint64_t)
					      : sizeof(uint32_t));
	size_t n = (size_t)(table->bytes / entry);
	struct elffile_section dynsym, dynstr;
	struct slot *grown;

	if (n == 0 || elffile_section(file, table->link, true, &dynsym) || !dynsym.data ||
		elffile_section(file, dynsym.link, true, &dynstr))
		return 0;
	if (!budget_take(file->budget, n * (sizeof(*grown) + sizeof(*slots->jumps))))
		return -E2BIG;
	grown = realloc(slots->slots, (slots->n + n) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	slots->slots = grown;
	if (jumps && !slots->jumps) {
		slots->jumps = calloc(n, sizeof(*slots->jumps));
		if (!slots->jumps)
			return -ENOMEM;
		slots->n_jumps = n;
	} else {
		jumps = false;
	}
	for (size_t i = 0; i < n; i++) {
		struct slot slot;
		uint64_t symbol;

		read_relocation(file, table, i, &slot.got, &symbol);
		slot.name = symbol_name(file, &dynsym, &dynstr, symbol);
		if (jumps)
			slots->jumps[i] = slot.name;
		if (slot.name && slot.name[0])
			slots->slots[slots->n++] = slot;
	}
	return 0;
}

static int by_got(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->got < y->got ? -1 : x->got > y->got;
}

static const char *name_of_slot(const struct slots *slots, uint64_t got)
{
	struct slot key = {.got = got};
	const struct slot *slot = bsearch(&key, slots->slots, slots->n, sizeof(key), by_got);

	return slot ? slot->name : NULL;
}

static const char *decode_x86(const struct slots *slots, const struct elffile *file,
	const uint8_t *code, size_t bytes, uint64_t svma)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa},
			     endbr32[] = {0xf3, 0x0f, 0x1e, 0xfb};
	size_t at = 0;
	bool wide = file->machine == EM_X86_64;

	if (bytes >= 4 && (memcmp(code, endbr64, 4) == 0 || memcmp(code, endbr32, 4) == 0))
		at = 4;
	if (at < bytes && code[at] == 0xf2)
		at++;
	if (bytes - at >= 6 && code[at] == 0xff && code[at + 1] == 0x25) {
		uint64_t disp = load_u32(code + at + 2);

		if (wide)
			disp = svma + at + 6 + (uint64_t)(int64_t)(int32_t)disp;
		return name_of_slot(slots, disp);
	}
	if (!wide && bytes - at >= 6 && code[at] == 0xff && code[at + 1] == 0xa3)
		return name_of_slot(slots, (uint32_t)(slots->got_base + load_u32(code + at + 2)));
	if (bytes - at >= 5 && code[at] == 0x68) {
		uint32_t index = load_u32(code + at + 1);

		if (!wide)
			index /= (uint32_t)sizeof(Elf32_Rel);
		return index < slots->n_jumps ? slots->jumps[index] : NULL;
	}
	return NULL;
}

static const char *decode_aarch64(
	const struct slots *slots, const uint8_t *code, size_t bytes, uint64_t svma)
{
	for (size_t at = 0; at + 8 <= bytes && at <= 4; at += 4) {
		uint32_t adrp = load_u32(code + at), ldr = load_u32(code + at + 4);
		uint64_t page;

		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (uint64_t)((adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3));
		page = (page ^ 0x100000) - 0x100000; /* The 21 bits are signed. */
		return name_of_slot(slots,
			((svma + at) & ~UINT64_C(4095)) + (page << 12) +
				(uint64_t)(ldr >> 10 & 0xfff) * 8);
	}
	return NULL;
}

static int name_stubs(struct symtab *symtab, const struct slots *slots, struct elffile *file,
	const struct elffile_section *plt, struct pool *strings)
{
	uint64_t step = plt->entry_bytes;

	if (step < 8 || step > 32 || step % 4 != 0)
		step = strcmp(plt->name, ".plt.got") == 0 && !(plt->bytes % 16 == 0) ? 8 : 16;
	if (file->machine == EM_AARCH64 && step < 16)
		step = 16;
	for (uint64_t at = 0; at < plt->bytes; at += step) {
		size_t left = (size_t)(plt->bytes - at);
		size_t bytes = left < step ? left : (size_t)step;
		struct symbol symbol = {
			.svma = plt->svma + at, .bytes = bytes, .limit = plt->svma + plt->bytes};
		const char *name;
		char text[512];
		int n;

		name = file->machine == EM_AARCH64
			? decode_aarch64(slots, plt->data + at, bytes, symbol.svma)
			: decode_x86(slots, file, plt->data + at, bytes, symbol.svma);
		if (!name)
			continue;
		n = snprintf(text, sizeof(text), "%.*s@plt", (int)sizeof(text) - 8, name);
		if (n > 0 && !budget_take(file->budget, (uint64_t)n + sizeof(symbol)))
			return -E2BIG;
		symbol.name = n > 0 ? pool_intern(strings, text, (size_t)n) : NULL;
		if (!symbol.name || symtab_add_symbol(symtab, &symbol))
			return -ENOMEM;
	}
	return 0;
}

int symtab_add_plt(struct symtab *symtab, struct elffile *file, struct pool *strings)
{
	static const char *const tables[] = {".plt", ".plt.sec", ".plt.got"};
	struct elffile_section section;
	struct slots slots = {0};
	int rc = 0;

	if (file->machine != EM_X86_64 && file->machine != EM_386 && file->machine != EM_AARCH64)
		return 0;
	for (size_t i = 1; i < file->n_sections && rc == 0; i++) {
		if (elffile_section(file, i, false, &section) || !(section.flags & SHF_ALLOC) ||
			(section.type != SHT_REL && section.type != SHT_RELA) ||
			elffile_section(file, i, true, &section) || !section.data)
			continue;
		rc = add_relocations(&slots, file, &section, strstr(section.name, ".plt") != NULL);
	}
	if (slots.n)
		qsort(slots.slots, slots.n, sizeof(*slots.slots), by_got);
	if (elffile_find(file, ".got.plt", &section) > 0 ||
		elffile_find(file, ".got", &section) > 0)
		slots.got_base = section.svma;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && rc == 0 && slots.n; i++)
		if (elffile_find(file, tables[i], &section) > 0 &&
			section.bytes <= UINT64_MAX - section.svma)
			rc = name_stubs(symtab, &slots, file, &section, strings);
	free(slots.slots);
	free(slots.jumps);
	return rc;
}
