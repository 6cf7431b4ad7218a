/* SPDX-License-Identifier: MIT */
#include "symbolizer/gopclntab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/debuginfo.h"
#include "symbolizer/elffile.h"
#include "symbolizer/image.h"

enum {
	HEADER_BYTES = 72,
	POINTER_BYTES = 8,
	PAIR_BYTES = 8, /* of the table of functions */
	FILE_NAME_MOST = 4096,
	INLINED_BYTES_118 = 20,
	INLINED_BYTES_120 = 16,
};

/* A function's record: u32 fields by index (runtime/runtime2.go, _func). */
enum {
	RECORD_NAME = 1,
	RECORD_PCSP = 4,
	RECORD_PCFILE,
	RECORD_PCLN,
	RECORD_PCDATAS,
	RECORD_UNIT,
	RECORD_118_FLAGS = 9, /* u8 id, flag, 0, number of funcdata; since 1.20 after a line */
};
enum { FLAG_TOP_FRAME = 1, PCDATA_INLINED = 2, FUNCDATA_INLINED = 3 };

/* Words of moduledata (runtime/symtab.go). */
enum {
	MODULE_TEXT = 22,
	MODULE_GOFUNC_118 = 38,
	MODULE_GOFUNC_120 = 40,
	MODULE_WORDS = 41,
};

struct part {
	const uint8_t *data;
	uint64_t bytes;
};

struct gopclntab {
	const struct image *image;
	struct pool *strings;
	struct part all;
	struct part names, units, files, pcs, functions;
	uint64_t n, text, gofunc;
	unsigned quantum;
	bool since_120;
	uint32_t g_below;
};

static bool read_u32(struct part part, uint64_t at, uint32_t *ret_value)
{
	if (part.bytes < sizeof(*ret_value) || at > part.bytes - sizeof(*ret_value))
		return false;
	memcpy(ret_value, part.data + at, sizeof(*ret_value));
	return true;
}

static bool read_u64(struct part part, uint64_t at, uint64_t *ret_value)
{
	if (part.bytes < sizeof(*ret_value) || at > part.bytes - sizeof(*ret_value))
		return false;
	memcpy(ret_value, part.data + at, sizeof(*ret_value));
	return true;
}

/* A string that ends within the part; NULL: none. */
static const char *string_at(struct part part, uint64_t at)
{
	if (at >= part.bytes || !memchr(part.data + at, 0, part.bytes - at))
		return NULL;
	return (const char *)part.data + at;
}

static bool begins_here(struct part from)
{
	uint32_t magic = 0;

	return read_u32(from, 0, &magic) && (magic == 0xfffffff0 || magic == 0xfffffff1) &&
		from.bytes >= HEADER_BYTES && !from.data[4] && !from.data[5] &&
		(from.data[6] == 1 || from.data[6] == 2 || from.data[6] == 4) &&
		from.data[7] == POINTER_BYTES;
}

static bool part_at(struct part all, unsigned field, struct part *ret_part)
{
	uint64_t offset = 0;

	if (!read_u64(all, 32 + 8 * field, &offset) || offset >= all.bytes)
		return false;
	*ret_part = (struct part){all.data + offset, all.bytes - offset};
	return true;
}

/* Splits the table by its header. Each part reaches to the table's end: bounds stay checked. */
static bool take_header(struct gopclntab *table)
{
	struct part all = table->all;

	if (!begins_here(all) || !read_u64(all, 8, &table->n) || !read_u64(all, 24, &table->text))
		return false;
	table->quantum = all.data[6];
	table->since_120 = all.data[0] == 0xf1;
	return part_at(all, 0, &table->names) && part_at(all, 1, &table->units) &&
		part_at(all, 2, &table->files) && part_at(all, 3, &table->pcs) &&
		part_at(all, 4, &table->functions) && table->n &&
		table->n < table->functions.bytes / PAIR_BYTES;
}

static struct part segment_part(const struct image *image, const Elf64_Phdr *segment)
{
	if (segment->p_type != PT_LOAD || segment->p_offset >= image->bytes)
		return (struct part){0};
	return (struct part){image->data + segment->p_offset,
		segment->p_filesz < image->bytes - segment->p_offset
			? segment->p_filesz
			: image->bytes - segment->p_offset};
}

/*
 * Searches the table in a file without section headers: it is aligned, and in a segment that is not
 * code.
 */
static bool search_table(struct gopclntab *table, uint64_t *ret_svma)
{
	const struct image *image = table->image;

	for (size_t i = 0; i < image->n_phdr; i++) {
		struct part part = segment_part(image, &image->phdr[i]);

		if (image->phdr[i].p_flags & PF_X)
			continue;
		for (uint64_t at = 0; at + HEADER_BYTES <= part.bytes; at += 16) {
			table->all = (struct part){part.data + at, part.bytes - at};
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
	if (elffile_find(elf, ".gopclntab", &section) < 0 &&
		elffile_find(elf, ".data.rel.ro.gopclntab", &section) < 0)
		return false;
	if (!section.data)
		return false;
	table->all = (struct part){section.data, section.bytes};
	*ret_svma = section.svma;
	return take_header(table);
}

/* The address of a word in the file that points to @to; 0 none. */
static uint64_t find_pointer(const struct image *image, uint64_t to)
{
	for (size_t i = 0; i < image->n_phdr; i++) {
		struct part part = segment_part(image, &image->phdr[i]);

		if (!(image->phdr[i].p_flags & PF_W))
			continue;
		for (uint64_t at = 0, word; read_u64(part, at, &word); at += POINTER_BYTES) {
			if (word == to)
				return image->phdr[i].p_vaddr + at;
		}
	}
	return 0;
}

/*
 * Collects the relocations (Elf64_Rela) of position-independent programs, which have the words;
 * sorted by address.
 */
static void take_relocations(
	struct part relocations, uint64_t table_svma, uint64_t word[MODULE_WORDS])
{
	uint64_t module = 0;
	Elf64_Rela r;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t at = 0; at + sizeof(r) <= relocations.bytes; at += sizeof(r)) {
			memcpy(&r, relocations.data + at, sizeof(r));
			if (pass == 0 && (uint64_t)r.r_addend == table_svma && !module)
				module = r.r_offset;
			if (pass == 1 && module && r.r_offset >= module &&
				(r.r_offset - module) / POINTER_BYTES < MODULE_WORDS)
				word[(r.r_offset - module) / POINTER_BYTES] = (uint64_t)r.r_addend;
		}
	}
}

/* Reads the words of moduledata, as far as the file has them; others stay 0. */
static void find_module(struct gopclntab *table, struct elffile *elf, uint64_t table_svma,
	uint64_t word[MODULE_WORDS])
{
	static const char *const names[] = {".rela.dyn", ".rela"};
	uint64_t at = find_pointer(table->image, table_svma);
	size_t bytes = 0;
	const uint8_t *data = at ? image_bytes_at(table->image, at, &bytes) : NULL;
	struct elffile_section section;

	for (unsigned i = 0; data && i < MODULE_WORDS; i++)
		(void)read_u64((struct part){data, bytes}, i * POINTER_BYTES, &word[i]);
	for (unsigned i = 0; elf && !word[MODULE_TEXT] && i < 2; i++) {
		if (elffile_find(elf, names[i], &section) >= 0 && section.data)
			take_relocations(
				(struct part){section.data, section.bytes}, table_svma, word);
	}
}

static bool is_code(const struct image *image, uint64_t svma)
{
	const Elf64_Phdr *segment = image_segment_at(image, svma);

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

/* The offset of the word "g". A program without C has no other thread-local memory. */
static uint32_t find_g(const struct image *image, struct elffile *elf)
{
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
	if (!bytes || bytes > UINT16_MAX || (bytes > POINTER_BYTES && !find_symbol(elf, &offset)) ||
		offset >= bytes)
		return 0;
	return (uint32_t)(bytes - offset);
}

int gopclntab_open(const struct image *image, struct elffile *elf, struct pool *strings,
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
	table->gofunc = word[table->since_120 ? MODULE_GOFUNC_120 : MODULE_GOFUNC_118];
	if (!is_code(image, table->text) || !gopclntab_find(table, table->text, &first)) {
		free(table);
		return -ENOENT;
	}
	table->g_below = find_g(image, elf);
	*ret_table = table;
	return 0;
}

uint32_t gopclntab_g_below(const struct gopclntab *table)
{
	return table->g_below;
}

void gopclntab_free(struct gopclntab *table)
{
	free(table);
}

static uint32_t field_of(const struct gopclntab *table, uint64_t record, unsigned field)
{
	uint32_t value = 0;

	(void)read_u32(table->functions, record + 4 * (uint64_t)field, &value);
	return value;
}

/* Index of the four bytes id, flag, 0, number of funcdata. */
static unsigned flags_field(const struct gopclntab *table)
{
	return RECORD_118_FLAGS + table->since_120;
}

static enum gopclntab_kind kind_of(const struct gopclntab *table, uint64_t record, const char *name)
{
	static const struct {
		const char *name;
		enum gopclntab_kind kind;
	} kinds[] = {
		{"runtime.systemstack", GOPCLNTAB_LEAVES},
		{"runtime.morestack", GOPCLNTAB_LEAVES},
		{"runtime.asmcgocall", GOPCLNTAB_CALLS_C},
		{"runtime.systemstack_switch", GOPCLNTAB_LEFT},
		{"runtime.nanotime1", GOPCLNTAB_CALLS_VDSO},
		{"runtime.walltime", GOPCLNTAB_CALLS_VDSO},
		{"time.now", GOPCLNTAB_CALLS_VDSO},
		{"runtime.sigreturn__sigaction", GOPCLNTAB_SIGRETURN}, /* Since Go 1.20. */
		{"runtime.sigreturn", GOPCLNTAB_SIGRETURN},
		{"runtime.mcall", GOPCLNTAB_TOP},
		{"runtime.goexit", GOPCLNTAB_TOP},
		{"runtime.rt0_go", GOPCLNTAB_TOP},
		{"runtime.mstart", GOPCLNTAB_TOP},
	};
	size_t bytes = strlen(name);

	/* The assembler appends this to the name of a function that is called from C. */
	if (bytes > 5 && strcmp(name + bytes - 5, ".abi0") == 0)
		bytes -= 5;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strlen(kinds[i].name) == bytes && memcmp(name, kinds[i].name, bytes) == 0)
			return kinds[i].kind;
	}
	return field_of(table, record, flags_field(table)) >> 8 & FLAG_TOP_FRAME ? GOPCLNTAB_TOP
										 : GOPCLNTAB_PLAIN;
}

bool gopclntab_find(
	const struct gopclntab *table, uint64_t svma, struct gopclntab_function *ret_function)
{
	struct part pairs = table->functions;
	uint64_t low = 0, high = table->n, offset = svma - table->text;
	uint32_t start = 0, next = 0, record = 0;
	const char *name;

	if (svma < table->text || offset > UINT32_MAX)
		return false;
	/* The last pair has the end of the last function. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_u32(pairs, middle * PAIR_BYTES, &start))
			return false;
		if (start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !read_u32(pairs, (low - 1) * PAIR_BYTES, &start) ||
		!read_u32(pairs, (low - 1) * PAIR_BYTES + 4, &record) ||
		!read_u32(pairs, low * PAIR_BYTES, &next) || offset < start || offset >= next)
		return false;
	name = string_at(table->names, field_of(table, record, RECORD_NAME));
	if (!name || !*name || field_of(table, record, 0) != start)
		return false;
	*ret_function = (struct gopclntab_function){.start = table->text + start,
		.end = table->text + next,
		.name = name,
		.record = record,
		.kind = kind_of(table, record, name)};
	return true;
}

/* Reads a LEB128 number of at most 32 bits. */
static bool take_varint(struct part *part, uint32_t *ret_value)
{
	uint32_t value = 0;

	for (unsigned shift = 0; shift < 35 && part->bytes; shift += 7) {
		uint8_t byte = *part->data++;

		part->bytes--;
		value |= (uint32_t)(byte & 0x7f) << (shift & 31);
		if (!(byte & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

/*
 * The value of a pc table at a distance from the function's start. Each entry adds a signed
 * difference to the value (zigzag) and says for how many instructions it holds; 0 ends the table.
 */
static bool pc_value(
	const struct gopclntab *table, uint32_t at, uint64_t distance, int32_t *ret_value)
{
	struct part part = table->pcs;
	uint64_t reached = 0;
	uint32_t value = UINT32_MAX, change, run;

	if (!at || at >= part.bytes)
		return false;
	part.data += at;
	part.bytes -= at;
	for (bool first = true; take_varint(&part, &change) && (change || first); first = false) {
		if (!take_varint(&part, &run))
			return false;
		value += -(change & 1) ^ change >> 1;
		reached += (uint64_t)run * table->quantum;
		if (distance < reached) {
			*ret_value = (int32_t)value;
			return true;
		}
	}
	return false;
}

int64_t gopclntab_depth(
	const struct gopclntab *table, const struct gopclntab_function *function, uint64_t svma)
{
	int32_t depth;

	if (!pc_value(table, field_of(table, function->record, RECORD_PCSP), svma - function->start,
		    &depth) ||
		depth < 0)
		return -ENOENT;
	return depth;
}

/* The tree of inlined calls of a function; false: none. */
static bool inlined_tree(
	const struct gopclntab *table, const struct gopclntab_function *f, struct part *ret_tree)
{
	uint64_t after = 4 * (uint64_t)(flags_field(table) + 1);
	uint32_t pcdatas = field_of(table, f->record, RECORD_PCDATAS), offset;
	unsigned funcdatas = field_of(table, f->record, flags_field(table)) >> 24;
	size_t bytes;

	if (!table->gofunc || pcdatas <= PCDATA_INLINED || funcdatas <= FUNCDATA_INLINED ||
		!read_u32(table->functions,
			f->record + after + 4 * ((uint64_t)pcdatas + FUNCDATA_INLINED), &offset) ||
		offset == UINT32_MAX)
		return false;
	ret_tree->data = image_bytes_at(table->image, table->gofunc + offset, &bytes);
	ret_tree->bytes = bytes;
	return ret_tree->data != NULL;
}

/* The inlined call at @distance from the function's start; false: not in an inlined call. */
static bool inlined_at(const struct gopclntab *table, const struct gopclntab_function *f,
	struct part tree, uint64_t distance, const char **ret_name, uint64_t *ret_parent,
	uint32_t *ret_line)
{
	uint64_t each = table->since_120 ? INLINED_BYTES_120 : INLINED_BYTES_118, at;
	uint64_t after = f->record + 4 * (uint64_t)(flags_field(table) + 1);
	uint32_t which, name, parent, line = 0;
	int32_t index;

	if (!read_u32(table->functions, after + 4 * PCDATA_INLINED, &which) ||
		!pc_value(table, which, distance, &index) || index < 0)
		return false;
	at = (uint64_t)index * each;
	if (!read_u32(tree, at + each - (table->since_120 ? 12 : 8), &name) ||
		!read_u32(tree, at + each - (table->since_120 ? 8 : 4), &parent))
		return false;
	if (table->since_120 && !read_u32(tree, at + 12, &line))
		return false;
	*ret_name = string_at(table->names, name);
	*ret_parent = parent;
	*ret_line = line;
	return *ret_name && **ret_name && parent < f->end - f->start;
}

/* File and line of an address in a function; "" and 0: unknown. -ENOMEM. */
static int place_line(const struct gopclntab *table, const struct gopclntab_function *f,
	uint64_t distance, struct debuginfo_frame *frame)
{
	uint32_t unit = field_of(table, f->record, RECORD_UNIT), at;
	int32_t file, line;
	const char *path = NULL;

	frame->file = "";
	if (pc_value(table, field_of(table, f->record, RECORD_PCLN), distance, &line) && line > 0)
		frame->line = (uint32_t)line;
	if (pc_value(table, field_of(table, f->record, RECORD_PCFILE), distance, &file) &&
		file >= 0 && read_u32(table->units, 4 * ((uint64_t)unit + (uint64_t)file), &at) &&
		at != UINT32_MAX)
		path = string_at(table->files, at);
	if (path)
		frame->file = pool_intern(table->strings, path, strnlen(path, FILE_NAME_MOST));
	return frame->file ? 0 : -ENOMEM;
}

int gopclntab_frames(
	const struct gopclntab *table, uint64_t svma, size_t most, struct debuginfo_frame *frames)
{
	struct gopclntab_function f;
	uint64_t distance, parent;
	const char *name;
	struct part tree = {0};
	uint32_t line;
	size_t n = 0;
	bool has_tree;

	if (!gopclntab_find(table, svma, &f))
		return 0;
	distance = svma - f.start;
	has_tree = inlined_tree(table, &f, &tree);
	while (has_tree && n + 1 < most &&
		inlined_at(table, &f, tree, distance, &name, &parent, &line)) {
		frames[n] = (struct debuginfo_frame){.name = name,
			.linkage_name = name,
			.function_line = line,
			.inlined = true,
			.qualified = true};
		if (place_line(table, &f, distance, &frames[n++]) < 0)
			return -ENOMEM;
		distance = parent;
	}
	frames[n] =
		(struct debuginfo_frame){.name = f.name, .linkage_name = f.name, .qualified = true};
	if (table->since_120)
		frames[n].function_line = field_of(table, f.record, RECORD_118_FLAGS);
	return place_line(table, &f, distance, &frames[n]) < 0 ? -ENOMEM : (int)n + 1;
}
