/* SPDX-License-Identifier: MIT */
#include "symbolizer/unwind_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/load.h"
#include "symbolizer/base/leb128.h"
#include "symbolizer/base/slice.h"
#include "symbolizer/module.h"

/* DW_EH_PE_…: how a pointer is encoded, and what it is relative to. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_ULEB = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

struct section {
	const uint8_t *data;
	size_t bytes;
	uint64_t svma;
	bool eh; /* the section is .eh_frame, otherwise .debug_frame */
};

struct known {
	uint64_t low, high;
	size_t offset;
};

/* The entries of a section without a search table, ascending. */
struct list {
	struct section section;
	struct known *known;
	size_t n;
};

struct unwind_table {
	struct module *module;
	bool listed;
	struct section eh; /* .eh_frame, found by .eh_frame_hdr; data NULL: not found */
	const uint8_t *search;
	size_t entries;
	uint64_t search_base; /* svma of .eh_frame_hdr, the base of the table */
	struct list list[2];  /* 0: .eh_frame, if it has no search table; 1: .debug_frame */
};

struct cie {
	uint64_t code_align, return_column;
	int64_t data_align;
	const uint8_t *code, *code_end;
	uint8_t encoding;
	bool augmented, signal;
};

static uint64_t address_of(const struct section *section, const uint8_t *p)
{
	return section->svma + (uint64_t)(p - section->data);
}

static uint64_t read_format(struct reader *s, unsigned format, bool wide)
{
	switch (format) {
	case PE_ABSOLUTE: return wide ? get_u64(s) : get_u32(s);
	case PE_ULEB: return get_uleb(s);
	case PE_UDATA2: return get_u16(s);
	case PE_UDATA4: return get_u32(s);
	case PE_UDATA8:
	case PE_SDATA8: return get_u64(s);
	case PE_SLEB: return (uint64_t)get_sleb(s);
	case PE_SDATA2: return (uint64_t)(int16_t)get_u16(s);
	case PE_SDATA4: return (uint64_t)(int32_t)get_u32(s);
	default: s->bad = true; return 0;
	}
}

/* Reads an encoded pointer, which lies at the svma @at. DW_EH_PE_datarel adds @data_base. */
static uint64_t read_pointer(
	struct reader *s, unsigned encoding, uint64_t at, uint64_t data_base, bool wide)
{
	uint64_t value = read_format(s, encoding & PE_FORMAT, wide);

	switch (encoding & PE_BASE) {
	case PE_ABSOLUTE: break;
	case PE_PCREL: value += at; break;
	case PE_DATAREL: value += data_base; break;
	default: s->bad = true;
	}
	if (encoding & PE_INDIRECT)
		s->bad = true;
	return value;
}

/* Opens the entry at @offset. False: there are no more. *@ret_wide: it has the 64-bit format. */
static bool open_entry(const struct section *section, size_t offset, struct reader *ret_body,
	bool *ret_wide, size_t *ret_next)
{
	struct reader s;
	uint64_t bytes;

	if (offset >= section->bytes)
		return false;
	s = reader_over(section->data + offset, section->bytes - offset);
	bytes = get_u32(&s);
	*ret_wide = bytes == UINT32_MAX;
	if (*ret_wide)
		bytes = get_u64(&s);
	if (s.bad || bytes == 0 || bytes > (uint64_t)(s.end - s.p))
		return false;
	s.end = s.p + bytes;
	*ret_body = s;
	*ret_next = (size_t)(s.end - section->data);
	return true;
}

static void read_augmentation(const struct section *section, struct reader *s,
	const uint8_t *letters, bool wide, struct cie *cie)
{
	uint64_t bytes = get_uleb(s);
	const uint8_t *data = get_bytes(s, bytes);
	struct reader in = data ? reader_over(data, (size_t)bytes) : reader_over(s->p, 0);

	cie->augmented = true;
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'L': (void)get_u8(&in); break;
		case 'R': cie->encoding = get_u8(&in); break;
		case 'S': cie->signal = true; break;
		case 'B': break; /* aarch64: the key that signs return addresses */
		case 'P': {
			unsigned encoding = get_u8(&in);

			(void)read_pointer(&in, encoding & ~PE_INDIRECT & 0xff,
				address_of(section, in.p), 0, wide);
			in.bad = false;
			break;
		}
		default: return; /* The rest of the augmentation is skipped by its length. */
		}
	}
}

static bool read_cie(const struct section *section, size_t offset, bool wide, struct cie *ret_cie)
{
	struct cie cie = {.encoding = PE_ABSOLUTE};
	const uint8_t *letters, *nul;
	struct reader s;
	bool wide_format;
	size_t next;
	uint64_t id;
	uint8_t version;

	if (!open_entry(section, offset, &s, &wide_format, &next))
		return false;
	id = wide_format && !section->eh ? get_u64(&s) : get_u32(&s);
	if (section->eh ? id != 0 : id != (wide_format ? UINT64_MAX : UINT32_MAX))
		return false;
	version = get_u8(&s);
	letters = s.p;
	nul = memchr(letters, 0, (size_t)(s.end - s.p));
	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	s.p = nul + 1;
	if (version == 4) {
		(void)get_u8(&s); /* address size */
		if (get_u8(&s) != 0)
			return false; /* Segmented addresses are not supported. */
	}
	cie.code_align = get_uleb(&s);
	cie.data_align = get_sleb(&s);
	cie.return_column = version == 1 ? get_u8(&s) : get_uleb(&s);
	if (*letters == 'z')
		read_augmentation(section, &s, letters, wide, &cie);
	else if (*letters)
		return false;
	cie.code = s.p;
	cie.code_end = s.end;
	*ret_cie = cie;
	return !s.bad;
}

/* Reads the entry at @offset. 1: read; 0: another kind (a CIE) or unusable; -1: the end. */
static int read_entry(const struct section *section, size_t offset, bool wide,
	struct unwind_entry *ret_entry, size_t *ret_next)
{
	const uint8_t *id_at;
	struct cie cie;
	struct reader s;
	bool wide_format;
	uint64_t id, bytes, low;

	if (!open_entry(section, offset, &s, &wide_format, ret_next))
		return -1;
	id_at = s.p;
	id = wide_format && !section->eh ? get_u64(&s) : get_u32(&s);
	if (section->eh) {
		uint64_t at = (uint64_t)(id_at - section->data);

		if (id == 0 || id > at)
			return 0;
		id = at - id;
	} else if (id >= section->bytes) {
		return 0;
	}
	if (!read_cie(section, (size_t)id, wide, &cie) || cie.encoding == PE_OMIT)
		return 0;
	low = read_pointer(&s, cie.encoding, address_of(section, s.p), 0, wide);
	bytes = read_format(&s, cie.encoding & PE_FORMAT, wide);
	if (cie.augmented)
		(void)get_bytes(&s, get_uleb(&s));
	if (s.bad || bytes == 0 || bytes > UINT64_MAX - low)
		return 0;
	*ret_entry = (struct unwind_entry){
		.low = low,
		.high = low + bytes,
		.initial = cie.code,
		.initial_end = cie.code_end,
		.code = s.p,
		.code_end = s.end,
		.code_align = cie.code_align,
		.data_align = cie.data_align,
		.return_column = cie.return_column,
		.signal = cie.signal,
		.wide = wide,
	};
	return 1;
}

int unwind_table_read_piece(const uint8_t *data, size_t bytes, uint64_t low, uint64_t high,
	struct unwind_entry *ret_entry)
{
	/*
	 * The piece is taken to lie at svma 2^40, so that no 32-bit distance leads below 0. Such an
	 * address would wrap, and read_entry() refuses an entry that ends above UINT64_MAX.
	 */
	const struct section section = {data, bytes, UINT64_C(1) << 40, true};
	size_t offset = 0;
	int r;

	while ((r = read_entry(&section, offset, true, ret_entry, &offset)) == 0)
		;
	if (r < 0)
		return -ENOENT;
	ret_entry->low = low;
	ret_entry->high = high;
	return 0;
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < 2; i++)
		free(table->list[i].known);
	free(table);
}

static int32_t search_word(const struct unwind_table *table, size_t i)
{
	return (int32_t)load_u32(table->search + 4 * i);
}

/*
 * Does the table of .eh_frame_hdr ascend? lld sorts it by distances taken as unsigned. If code lies
 * below .eh_frame_hdr, its distances are negative, and the table does not ascend.
 */
static bool is_sorted(const struct unwind_table *table)
{
	for (size_t i = 1; i < table->entries; i++)
		if (search_word(table, 2 * i) < search_word(table, 2 * i - 2))
			return false;
	return true;
}

/*
 * Opens .eh_frame_hdr's search table: for each function, its address and the address of its entry
 * in .eh_frame, by ascending address of the function. Both are 32-bit distances from .eh_frame_hdr.
 */
static void open_header(struct unwind_table *table)
{
	const struct elfimage *image = &table->module->image;
	struct slice header = {0}, frames;
	uint64_t svma = 0, eh, n;
	unsigned eh_encoding, n_encoding, encoding;
	struct reader s;

	for (size_t i = 0; i < image->n_phdr; i++) {
		if (image->phdr[i].p_type == PT_GNU_EH_FRAME) {
			svma = image->phdr[i].p_vaddr;
			header = elfimage_at(image, svma);
		}
	}
	s = slice_reader(header, 0);
	if (get_u8(&s) != 1)
		return;
	eh_encoding = get_u8(&s);
	n_encoding = get_u8(&s);
	encoding = get_u8(&s);
	eh = read_pointer(&s, eh_encoding, svma + 4, svma, image->elf64);
	n = read_pointer(&s, n_encoding, svma + (uint64_t)(s.p - header.data), svma, image->elf64);
	if (s.bad || encoding != (PE_DATAREL | PE_SDATA4) || n == 0 ||
		n > (uint64_t)(s.end - s.p) / 8)
		return;
	table->search = s.p;
	table->entries = (size_t)n;
	table->search_base = svma;
	if (!is_sorted(table))
		return;
	frames = elfimage_at(image, eh);
	table->eh = (struct section){frames.data, frames.bytes, eh, true};
}

static int find_by_header(
	const struct unwind_table *table, uint64_t svma, struct unwind_entry *ret_entry)
{
	size_t low, next;
	uint64_t at;

	if (!table->eh.data)
		return -ENOENT;
	low = array_bisect(i, 0, table->entries,
		table->search_base + (uint64_t)(int64_t)search_word(table, 2 * i) <= svma);
	if (low == 0)
		return -ENOENT;
	at = table->search_base + (uint64_t)(int64_t)search_word(table, 2 * low - 1);
	if (at < table->eh.svma || at - table->eh.svma >= table->eh.bytes)
		return -ENOENT;
	if (read_entry(&table->eh, (size_t)(at - table->eh.svma), table->module->image.elf64,
		    ret_entry, &next) != 1)
		return -ENOENT;
	return svma >= ret_entry->low && svma < ret_entry->high ? 0 : -ENOENT;
}

static int by_low(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int make_list(struct unwind_table *table, const char *name, struct list *list)
{
	bool wide = table->module->image.elf64;
	size_t offset = 0, next, room = 0;
	struct unwind_entry entry;
	int r = module_section(table->module, name, &list->section.data, &list->section.bytes,
		&list->section.svma);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	list->section.eh = name[1] == 'e';
	while ((r = read_entry(&list->section, offset, wide, &entry, &next)) >= 0) {
		/* Leaves out functions that the linker discarded, which are at address 0. */
		if (r == 1 && entry.low != 0 &&
			array_add(&list->known, &room, &list->n,
				(struct known){entry.low, entry.high, offset}) < 0)
			return -ENOMEM;
		offset = next;
	}
	if (list->n)
		qsort(list->known, list->n, sizeof(*list->known), by_low);
	return 0;
}

static int find_in_list(
	const struct list *list, uint64_t svma, bool wide, struct unwind_entry *ret_entry)
{
	size_t low = array_bisect(i, 0, list->n, list->known[i].low <= svma), next;

	if (low == 0 || svma >= list->known[low - 1].high)
		return -ENOENT;
	return read_entry(&list->section, list->known[low - 1].offset, wide, ret_entry, &next) == 1
		? 0
		: -ENOENT;
}

int unwind_table_find(struct module *module, uint64_t svma, struct unwind_entry *ret_entry)
{
	struct unwind_table *table = module->frames;
	int r;

	if (!module->headers_ok)
		return -ENOENT;
	if (!table) {
		table = module->frames = calloc(1, sizeof(*table));
		if (!table)
			return -ENOMEM;
		table->module = module;
		open_header(table);
	}
	r = find_by_header(table, svma, ret_entry);
	if (r == 0)
		return r;
	if (!table->listed) {
		table->listed = true;
		r = table->eh.data ? 0 : make_list(table, ".eh_frame", &table->list[0]);
		if (r == 0)
			r = make_list(table, ".debug_frame", &table->list[1]);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < 2; i++) {
		if (find_in_list(&table->list[i], svma, module->image.elf64, ret_entry) == 0)
			return 0;
	}
	return -ENOENT;
}
