/* SPDX-License-Identifier: MIT */
#include "symbolizer/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/exported.h"

#define SEGMENTS_MOST 16
/* In symbol.rank: the symbol is a function, not a label. */
#define RANK_FUNCTION (UINT32_C(1) << 7)

int symtab_add_symbol(struct symtab *symtab, const struct symbol *symbol)
{
	return array_add(&symtab->symbols, &symtab->capacity, &symtab->n, *symbol);
}

void symtab_release(struct symtab *symtab)
{
	free(symtab->symbols);
	*symtab = (struct symtab){0};
}

/* $x, $d, $a, $t and $x.5: marks for disassemblers on ARM and RISC-V. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("xdat", name[1]) &&
		(name[2] == '\0' || name[2] == '.' || name[1] == 'x');
}

/*
 * Ranks aliases: functions before labels, global and weak before local, "read" before "__read",
 * global before weak, sized before unsized.
 */
static uint32_t rank_of(const char *name, unsigned type, unsigned binding, uint64_t bytes)
{
	uint32_t underscores = (uint32_t)strspn(name, "_");

	if (underscores > 7)
		underscores = 7;
	return (type != STT_NOTYPE ? RANK_FUNCTION : 0) | (uint32_t)(binding != STB_LOCAL) << 6 |
		(7 - underscores) << 2 | (uint32_t)(binding == STB_GLOBAL) << 1 |
		(uint32_t)(bytes != 0);
}

static bool take_symbol(const struct elffile *file, const GElf_Sym *sym,
	const struct elffile_section *strtab, const struct elffile_section *sections, size_t n,
	struct symbol *ret_symbol)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), binding = GELF_ST_BIND(sym->st_info);
	const struct elffile_section *section;
	const char *name;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= n)
		return false;
	section = &sections[sym->st_shndx];
	if (!(section->flags & SHF_EXECINSTR) || section->bytes > UINT64_MAX - section->svma)
		return false;
	name = elffile_string(strtab, sym->st_name);
	if (!name || !name[0] || is_mapping_symbol(name) || strncmp(name, ".L", 2) == 0)
		return false;
	*ret_symbol = (struct symbol){
		.svma = sym->st_value,
		.bytes = sym->st_size,
		.limit = section->svma + section->bytes,
		.name = name,
		.rank = rank_of(name, type, binding, sym->st_size),
	};
	if (file->machine == EM_ARM && type != STT_NOTYPE)
		ret_symbol->svma &= ~UINT64_C(1); /* bit 0: Thumb code */
	return ret_symbol->svma >= section->svma && ret_symbol->svma < ret_symbol->limit;
}

static int add_table(struct symtab *symtab, struct elffile *file,
	const struct elffile_section *table, const struct elffile_section *sections)
{
	size_t entry = file->elf64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct elffile_section strtab;
	int added = 0;

	/* Charged before the table is read, as a bad file may list one table many times. */
	if (!budget_take(file->budget, table->bytes / entry * sizeof(struct symbol)))
		return -E2BIG;
	if (elffile_section(file, table->link, true, &strtab) || !strtab.data)
		return 0;
	for (size_t i = 1; i < table->bytes / entry; i++) {
		const uint8_t *at = table->data + i * entry;
		struct symbol symbol;
		GElf_Sym sym;

		if (file->elf64) {
			memcpy(&sym, at, sizeof(sym));
		} else {
			Elf32_Sym narrow;

			memcpy(&narrow, at, sizeof(narrow));
			sym = (GElf_Sym){.st_name = narrow.st_name,
				.st_info = narrow.st_info,
				.st_shndx = narrow.st_shndx,
				.st_value = narrow.st_value,
				.st_size = narrow.st_size};
		}
		if (!take_symbol(file, &sym, &strtab, sections, file->n_sections, &symbol))
			continue;
		if (symtab_add_symbol(symtab, &symbol))
			return -ENOMEM;
		added++;
	}
	return added;
}

int symtab_add(struct symtab *symtab, struct elffile *file, uint32_t type)
{
	struct elffile_section *sections;
	int added = 0;

	if (!file->elf || file->n_sections == 0)
		return 0;
	sections = calloc(file->n_sections, sizeof(*sections));
	if (!sections)
		return -ENOMEM;
	for (size_t i = 1; i < file->n_sections; i++)
		if (elffile_section(file, i, false, &sections[i]))
			sections[i] = (struct elffile_section){0};
	for (size_t i = 1; i < file->n_sections && added >= 0; i++) {
		struct elffile_section table;
		int n;

		if (sections[i].type != type || elffile_section(file, i, true, &table) ||
			!table.data)
			continue;
		n = add_table(symtab, file, &table, sections);
		added = n < 0 ? n : added + n;
	}
	free(sections);
	return added;
}

/* The first SEGMENTS_MOST executable segments. Symbols in further ones are left out. */
struct segments {
	const Elf64_Phdr *segment[SEGMENTS_MOST];
	size_t n;
};

static void find_segments(const struct elfimage *image, struct segments *ret_segments)
{
	ret_segments->n = 0;
	for (size_t i = 0; i < image->n_phdr && ret_segments->n < SEGMENTS_MOST; i++) {
		const Elf64_Phdr *p = &image->phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
			p->p_memsz <= UINT64_MAX - p->p_vaddr)
			ret_segments->segment[ret_segments->n++] = p;
	}
}

static bool take_exported(const struct segments *segments, const Elf64_Sym *sym, const char *name,
	struct symbol *ret_symbol)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return false;
	for (size_t i = 0; i < segments->n; i++) {
		const Elf64_Phdr *p = segments->segment[i];

		if (sym->st_value < p->p_vaddr || sym->st_value - p->p_vaddr >= p->p_memsz)
			continue;
		*ret_symbol = (struct symbol){
			.svma = sym->st_value,
			.bytes = sym->st_size,
			.limit = p->p_vaddr + p->p_memsz,
			.name = name,
			.rank = rank_of(name, type, ELF64_ST_BIND(sym->st_info), sym->st_size),
		};
		return true;
	}
	return false;
}

int symtab_add_exported(struct symtab *symtab, const struct elfimage *image, struct budget *budget)
{
	struct exported_list list;
	struct segments segments;
	int added = 0;

	if (!exported_open(image, &list))
		return 0;
	if (!budget_take(budget, list.n * sizeof(struct symbol)))
		return -E2BIG;
	find_segments(image, &segments);
	for (uint32_t i = 1; i < list.n; i++) {
		struct symbol symbol;
		const char *name;
		Elf64_Sym sym;

		if (!exported_get(&list, i, &sym, &name) ||
			!take_exported(&segments, &sym, name, &symbol))
			continue;
		if (symtab_add_symbol(symtab, &symbol))
			return -ENOMEM;
		added++;
	}
	return added;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->svma != y->svma)
		return x->svma < y->svma ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

void symtab_seal(struct symtab *symtab)
{
	struct symbol *s = symtab->symbols;
	size_t kept = 0;
	uint64_t reach = 0, end = 0;

	if (symtab->n)
		qsort(s, symtab->n, sizeof(*s), by_address);
	for (size_t i = 0; i < symtab->n; i++) {
		if (kept && s[kept - 1].svma == s[i].svma) {
			/* Drops an alias of lower rank, but takes its size if none was known. */
			if (s[kept - 1].bytes == 0)
				s[kept - 1].bytes = s[i].bytes;
			continue;
		}
		if (kept && s[kept - 1].bytes <= s[kept - 1].limit - s[kept - 1].svma &&
			s[kept - 1].svma + s[kept - 1].bytes > end)
			end = s[kept - 1].svma + s[kept - 1].bytes;
		/* A label without a size, inside of a symbol with one, names no function. */
		if (s[i].svma < end && !s[i].bytes && !(s[i].rank & RANK_FUNCTION))
			continue;
		s[kept++] = s[i];
	}
	symtab->n = kept;
	for (size_t i = 0; i < kept; i++) {
		uint64_t room = s[i].limit - s[i].svma;

		s[i].stretched = s[i].bytes == 0;
		if (s[i].bytes == 0 && i + 1 < kept && s[i + 1].svma < s[i].limit)
			s[i].bytes = s[i + 1].svma - s[i].svma;
		else if (s[i].bytes == 0 || s[i].bytes > room)
			s[i].bytes = room;
		if (s[i].svma + s[i].bytes > reach)
			reach = s[i].svma + s[i].bytes;
		s[i].reach = reach;
	}
}

const struct symbol *symtab_find(const struct symtab *symtab, uint64_t svma)
{
	size_t low = array_bisect(i, 0, symtab->n, symtab->symbols[i].svma <= svma);

	/* Goes back while an earlier symbol may reach beyond @svma. */
	while (low-- > 0 && symtab->symbols[low].reach > svma)
		if (svma - symtab->symbols[low].svma < symtab->symbols[low].bytes)
			return &symtab->symbols[low];
	return NULL;
}
