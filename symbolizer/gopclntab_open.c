/* SPDX-License-Identifier: MIT */
/* Finds a Go program's table, its moduledata, and the thread-local word "g". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/gopclntab_internal.h"

enum { HEADER_BYTES = 72, POINTER_BYTES = 8, TABLE_ALIGN = 16 };

/* Words of moduledata (runtime/symtab.go) by index. */
enum {
	MODULE_TEXT = 22,
	/* Address of the types (Go 1.20). The next word is their end, since 1.27 their length. */
	MODULE_TYPES = 37,
	MODULE_GOFUNC_118 = 38,
	MODULE_GOFUNC_120 = 40,
	MODULE_GOFUNC_127 = 43,
	MODULE_WORDS = 44,
};

static bool begins_here(struct slice from)
{
	uint32_t magic = 0;

	return slice_u32(from, 0, &magic) && (magic == 0xfffffff0 || magic == 0xfffffff1) &&
		from.bytes >= HEADER_BYTES && !from.data[4] && !from.data[5] &&
		(from.data[6] == 1 || from.data[6] == 2 || from.data[6] == 4) &&
		from.data[7] == POINTER_BYTES;
}

static bool part_at(struct slice all, unsigned field, struct slice *ret_part)
{
	uint64_t offset = 0;

	if (!slice_u64(all, 32 + 8 * field, &offset))
		return false;
	*ret_part = slice_rest(all, offset);
	return ret_part->data;
}

/* The header does not give the lengths of the table's parts, so each reaches to the table's end. */
static bool take_header(struct gopclntab *table)
{
	struct slice all = table->all;

	if (!begins_here(all) || !slice_u64(all, 8, &table->n) || !slice_u64(all, 24, &table->text))
		return false;
	table->quantum = all.data[6];
	table->since_120 = all.data[0] == 0xf1;
	return part_at(all, 0, &table->names) && part_at(all, 1, &table->units) &&
		part_at(all, 2, &table->files) && part_at(all, 3, &table->pcs) &&
		part_at(all, 4, &table->functions) && table->n &&
		table->n < table->functions.bytes / GOPCLNTAB_PAIR_BYTES;
}

static struct slice segment_part(const struct elfimage *image, const Elf64_Phdr *segment)
{
	struct slice file = {image->data, segment->p_type == PT_LOAD ? image->bytes : 0};

	return slice_first(slice_rest(file, segment->p_offset), segment->p_filesz);
}

/* Searches all segments but code for the table, which is aligned to TABLE_ALIGN. */
static bool search_table(struct gopclntab *table, uint64_t *ret_svma)
{
	const struct elfimage *image = table->image;

	for (size_t i = 0; i < image->n_phdr; i++) {
		struct slice part = segment_part(image, &image->phdr[i]);

		if (image->phdr[i].p_flags & PF_X)
			continue;
		for (uint64_t at = -image->phdr[i].p_vaddr & (TABLE_ALIGN - 1);
			at + HEADER_BYTES <= part.bytes; at += TABLE_ALIGN) {
			table->all = slice_rest(part, at);
			if (begins_here(table->all) && take_header(table)) {
				*ret_svma = image->phdr[i].p_vaddr + at;
				return true;
			}
		}
	}
	return false;
}

static bool find_table(struct gopclntab *table, struct elffile *elf, uint64_t *ret_svma)
{
	struct elffile_section section;

	if (!elf || elf->n_sections <= 1)
		return search_table(table, ret_svma);
	/*
	 * In a position-independent program that was linked by C's linker, the table has no section
	 * of its own: the linker merged it with other constants. So the segments are searched.
	 */
	if (elffile_find(elf, ".gopclntab", &section) < 0 &&
		elffile_find(elf, ".data.rel.ro.gopclntab", &section) < 0)
		return table->image->go && search_table(table, ret_svma);
	if (!section.data)
		return false;
	table->all = (struct slice){section.data, section.bytes};
	*ret_svma = section.svma;
	return take_header(table);
}

/* The svma of a writable word that contains @to; 0: none. */
static uint64_t find_pointer(const struct elfimage *image, uint64_t to)
{
	for (size_t i = 0; i < image->n_phdr; i++) {
		struct slice part = segment_part(image, &image->phdr[i]);

		if (!(image->phdr[i].p_flags & PF_W))
			continue;
		for (uint64_t at = 0, word; slice_u64(part, at, &word); at += POINTER_BYTES) {
			if (word == to)
				return image->phdr[i].p_vaddr + at;
		}
	}
	return 0;
}

/* A position-independent program has moduledata's words in relocations (Elf64_Rela). */
static void take_relocations(
	struct slice relocations, uint64_t table_svma, uint64_t word[MODULE_WORDS])
{
	uint64_t module = 0;
	Elf64_Rela r;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t at = 0; slice_read(relocations, at, &r, sizeof(r)); at += sizeof(r)) {
			if (pass == 0 && (uint64_t)r.r_addend == table_svma && !module)
				module = r.r_offset;
			if (pass == 1 && module && r.r_offset >= module &&
				(r.r_offset - module) / POINTER_BYTES < MODULE_WORDS)
				word[(r.r_offset - module) / POINTER_BYTES] = (uint64_t)r.r_addend;
		}
	}
}

/* Words of moduledata that the file lacks stay 0. */
static void find_module(struct gopclntab *table, struct elffile *elf, uint64_t table_svma,
	uint64_t word[MODULE_WORDS])
{
	static const char *const names[] = {".rela.dyn", ".rela"};
	uint64_t at = find_pointer(table->image, table_svma);
	struct slice words = at ? elfimage_at(table->image, at) : (struct slice){0};
	struct elffile_section section;

	for (unsigned i = 0; i < MODULE_WORDS; i++)
		(void)slice_u64(words, i * POINTER_BYTES, &word[i]);
	for (unsigned i = 0; elf && !word[MODULE_TEXT] && i < 2; i++) {
		if (elffile_find(elf, names[i], &section) >= 0 && section.data)
			take_relocations(
				(struct slice){section.data, section.bytes}, table_svma, word);
	}
}

static bool is_code(const struct elfimage *image, uint64_t svma)
{
	const Elf64_Phdr *segment = elfimage_segment_at(image, svma);

	return segment && segment->p_flags & PF_X;
}

/* The offset of runtime.tlsg in the program's thread-local memory. False: no symbol. */
static bool find_symbol(struct elffile *elf, uint64_t *ret_offset)
{
	static const char wanted[] = "runtime.tlsg";
	struct elffile_section symbols, strings;
	Elf64_Sym symbol;

	if (!elf || elffile_find(elf, ".symtab", &symbols) < 0 || !symbols.data ||
		elffile_find(elf, ".strtab", &strings) < 0 || !strings.data)
		return false;
	for (uint64_t at = 0; at + sizeof(symbol) <= symbols.bytes; at += sizeof(symbol)) {
		memcpy(&symbol, symbols.data + at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_name < strings.bytes &&
			strings.bytes - symbol.st_name >= sizeof(wanted) &&
			memcmp(strings.data + symbol.st_name, wanted, sizeof(wanted)) == 0) {
			*ret_offset = symbol.st_value;
			return true;
		}
	}
	return false;
}

/*
 * How many bytes "g" is below the thread pointer, from the first mov in @code that reads or writes
 * "g". 0: there is no such mov. Example: mov %fs:-88,%rax is 64 48 8b 04 25 a8 ff ff ff.
 */
static uint32_t g_of_code(struct slice code)
{
	enum { BYTES = 9 };

	for (uint64_t at = 0; at + BYTES <= code.bytes; at++) {
		const uint8_t *i = code.data + at;
		int32_t distance;

		/* Only a mov of 8 bytes between a register and %fs:constant counts. */
		if (i[0] != 0x64 || (i[1] & 0xfb) != 0x48 || (i[2] != 0x8b && i[2] != 0x89) ||
			(i[3] & 0xc7) != 4 || i[4] != 0x25)
			continue;
		distance = (int32_t)load_u32(i + 5);
		if (distance < 0 && distance >= -UINT16_MAX)
			return (uint32_t)-distance;
	}
	return 0;
}

/* Without symbols, the code of runtime.systemstack shows where "g" is: it reads "g". 0: unknown. */
static uint32_t g_of_systemstack(const struct gopclntab *table)
{
	static const char wanted[] = "runtime.systemstack";
	uint32_t start, next, record;

	for (uint64_t i = 0; i < table->n; i++) {
		const char *name;

		if (!slice_u32(table->functions, i * GOPCLNTAB_PAIR_BYTES, &start) ||
			!slice_u32(table->functions, i * GOPCLNTAB_PAIR_BYTES + 4, &record) ||
			!slice_u32(table->functions, (i + 1) * GOPCLNTAB_PAIR_BYTES, &next) ||
			next <= start)
			return 0;
		name = slice_string(table->names, gopclntab_field(table, record, GOPCLNTAB_NAME));
		if (!name || strncmp(name, wanted, sizeof(wanted) - 1) != 0 ||
			(name[sizeof(wanted) - 1] && strcmp(name + sizeof(wanted) - 1, ".abi0")))
			continue;
		return g_of_code(
			slice_first(elfimage_at(table->image, table->text + start), next - start));
	}
	return 0;
}

/*
 * How many bytes "g" is below the thread pointer; 0: unknown. In a program without C code, "g" is
 * the only thread-local word, so it lies directly below the thread pointer.
 */
static uint32_t find_g(const struct gopclntab *table, struct elffile *elf)
{
	const struct elfimage *image = table->image;
	const Elf64_Phdr *tls = NULL;
	uint64_t bytes, offset = 0;

	for (size_t i = 0; i < image->n_phdr; i++) {
		if (image->phdr[i].p_type == PT_TLS)
			tls = &image->phdr[i];
	}
	if (image->machine != EM_X86_64)
		return 0;
	if (!tls)
		return POINTER_BYTES;
	bytes = tls->p_memsz;
	if (tls->p_align > 1)
		bytes = (bytes + tls->p_align - 1) / tls->p_align * tls->p_align;
	if (!bytes || bytes > UINT16_MAX)
		return 0;
	if (bytes > POINTER_BYTES && !find_symbol(elf, &offset))
		return g_of_systemstack(table);
	if (offset >= bytes)
		return 0;
	return (uint32_t)(bytes - offset);
}

/*
 * Returns which word of moduledata has the address of the inlined calls. Go 1.27 has the magic of
 * 1.20, but 3 more words before that word. Word MODULE_TYPES + 1 tells them apart. In 1.20 it is
 * the end of the types, so it is greater than their address. In 1.27 it is the length of the types,
 * and is less than their address, as the types lie behind the code, which is longer.
 */
static unsigned gofunc_index(const struct gopclntab *table, const uint64_t word[MODULE_WORDS])
{
	if (!table->since_120)
		return MODULE_GOFUNC_118;
	return word[MODULE_TYPES + 1] < word[MODULE_TYPES] ? MODULE_GOFUNC_127 : MODULE_GOFUNC_120;
}

int gopclntab_open(const struct elfimage *image, struct elffile *elf, struct pool *strings,
	struct gopclntab **ret_table)
{
	struct gopclntab *table = calloc(1, sizeof(*table));
	uint64_t word[MODULE_WORDS] = {0}, svma = 0;
	struct gopclntab_function first;

	if (!table)
		return -ENOMEM;
	table->image = image;
	table->strings = strings;
	if (!image->elf64 || !find_table(table, elf, &svma)) {
		free(table);
		return -ENOENT;
	}
	find_module(table, elf, svma, word);
	if (is_code(image, word[MODULE_TEXT]))
		table->text = word[MODULE_TEXT];
	table->gofunc = word[gofunc_index(table, word)];
	if (!is_code(image, table->text) || !gopclntab_find(table, table->text, &first)) {
		free(table);
		return -ENOENT;
	}
	table->g_below = find_g(table, elf);
	*ret_table = table;
	return 0;
}
