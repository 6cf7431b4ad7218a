/* SPDX-License-Identifier: MIT */
#include "symbolizer/exported.h"

#include <elf.h>
#include <string.h>

#include "symbolizer/elfimage.h"
#include "symbolizer/module.h"

/* Maximum entries of a hash chain that are followed: a damaged chain may have no end. */
#define CHAIN_MOST 100000
/* Maximum entries of PT_DYNAMIC that are read; a C library has about 30. */
#define ENTRIES_MOST 4096
/* Symbols with longer names are left out: in a bad file, all may share one very long name. */
#define NAME_MOST 4096

/* The tables that PT_DYNAMIC names, each up to its segment's end. A missing table is empty. */
struct tables {
	struct slice symbols, strings, hash, gnu_hash;
};

/* In memory, glibc adds the load bias to addresses in PT_DYNAMIC; other C libraries do not. */
static struct slice table_at(const struct elfimage *image, uint64_t address)
{
	struct slice table = address ? elfimage_at(image, address) : (struct slice){0};

	if (address && image->loaded && !table.data)
		table = elfimage_at(image, address - image->loaded);
	return table;
}

/*
 * Returns the last PT_DYNAMIC, as the loaders of glibc and musl use that one. A PT_DYNAMIC without
 * bytes in the file does not count, as in glibc: "objcopy --only-keep-debug" makes such headers.
 */
static struct slice find_dynamic(const struct elfimage *image)
{
	const Elf64_Phdr *last = NULL;

	for (size_t i = 0; i < image->n_phdr; i++) {
		if (image->phdr[i].p_type == PT_DYNAMIC && image->phdr[i].p_filesz)
			last = &image->phdr[i];
	}
	return last ? slice_first(elfimage_at(image, last->p_vaddr), last->p_filesz)
		    : (struct slice){0};
}

static bool find_tables(const struct elfimage *image, struct tables *ret_tables)
{
	uint64_t symbols = 0, strings = 0, hash = 0, gnu_hash = 0;
	struct slice entries = find_dynamic(image);
	struct tables tables;
	Elf64_Dyn entry;

	for (uint64_t i = 0;
		i < ENTRIES_MOST && slice_read(entries, i * sizeof(entry), &entry, sizeof(entry)) &&
		entry.d_tag != DT_NULL;
		i++) {
		switch (entry.d_tag) {
		case DT_SYMTAB: symbols = entry.d_un.d_ptr; break;
		case DT_STRTAB: strings = entry.d_un.d_ptr; break;
		case DT_HASH: hash = entry.d_un.d_ptr; break;
		case DT_GNU_HASH: gnu_hash = entry.d_un.d_ptr; break;
		default: break;
		}
	}
	/* table_at() searches all segments: it is called once for each table, not each entry. */
	tables = (struct tables){table_at(image, symbols), table_at(image, strings),
		table_at(image, hash), table_at(image, gnu_hash)};
	*ret_tables = tables;
	return tables.symbols.data && tables.strings.data &&
		(tables.hash.data || tables.gnu_hash.data);
}

static bool is_symbol(
	const struct tables *tables, uint32_t index, const char *name, uint64_t *ret_svma)
{
	size_t length = strlen(name) + 1;
	Elf64_Sym symbol;
	char text[64];

	if (length > sizeof(text) ||
		!slice_read(tables->symbols, (uint64_t)index * sizeof(symbol), &symbol,
			sizeof(symbol)) ||
		symbol.st_shndx == SHN_UNDEF ||
		!slice_read(tables->strings, symbol.st_name, text, length) ||
		memcmp(text, name, length) != 0)
		return false;
	*ret_svma = symbol.st_value;
	return true;
}

/* DT_HASH (System V ABI): nbucket, nchain, bucket[], chain[]. */
static bool find_by_hash(const struct tables *tables, const char *name, uint64_t *ret_svma)
{
	uint32_t hash = 0, buckets, index;

	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (uint8_t)*c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	if (!slice_u32(tables->hash, 0, &buckets) || !buckets ||
		!slice_u32(tables->hash, 8 + 4 * (uint64_t)(hash % buckets), &index))
		return false;
	for (unsigned i = 0; index && i < CHAIN_MOST; i++) {
		if (is_symbol(tables, index, name, ret_svma))
			return true;
		if (!slice_u32(tables->hash, 8 + 4 * ((uint64_t)buckets + index), &index))
			return false;
	}
	return false;
}

/*
 * Layout of DT_GNU_HASH, in 32-bit words except for the filter:
 *
 *	number of buckets B, index F of the first symbol, words W of the Bloom filter, shift
 *	filter: W words of 8 bytes
 *	bucket[B]: index of the bucket's first symbol
 *	chain[]: for each symbol from F on, its hash; bit 0 is set in a bucket's last symbol
 */
static bool find_by_gnu_hash(const struct tables *tables, const char *name, uint64_t *ret_svma)
{
	uint32_t hash = 5381, head[4], index, here;
	uint64_t bucket, chain;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	if (!slice_read(tables->gnu_hash, 0, head, sizeof(head)) || !head[0])
		return false;
	bucket = sizeof(head) + 8 * (uint64_t)head[2];
	chain = bucket + 4 * (uint64_t)head[0];
	if (!slice_u32(tables->gnu_hash, bucket + 4 * (uint64_t)(hash % head[0]), &index))
		return false;
	for (unsigned i = 0; index >= head[1] && i < CHAIN_MOST; i++, index++) {
		if (!slice_u32(tables->gnu_hash, chain + 4 * (uint64_t)(index - head[1]), &here))
			return false;
		if ((here | 1) == (hash | 1) && is_symbol(tables, index, name, ret_svma))
			return true;
		if (here & 1)
			return false;
	}
	return false;
}

static bool find_exported(const struct elfimage *image, const char *name, uint64_t *ret_svma)
{
	struct tables tables;

	if (!image->data || !image->elf64 || !find_tables(image, &tables))
		return false;
	if (tables.gnu_hash.data)
		return find_by_gnu_hash(&tables, name, ret_svma);
	return find_by_hash(&tables, name, ret_svma);
}

/*
 * DT_GNU_HASH lacks the number of symbols. The last symbol is found as the end of the bucket whose
 * first symbol has the greatest index.
 */
static uint32_t count_by_gnu_hash(struct slice table)
{
	uint32_t head[4], last = 0, word;
	uint64_t at, chain;

	if (!slice_read(table, 0, head, sizeof(head)))
		return 0;
	at = sizeof(head) + 8 * (uint64_t)head[2];
	chain = at + 4 * (uint64_t)head[0];
	for (; at < chain; at += 4) {
		if (!slice_u32(table, at, &word))
			return 0;
		last = word > last ? word : last;
	}
	if (last < head[1])
		return 0;
	at += 4 * (uint64_t)(last - head[1]);
	for (; slice_u32(table, at, &word) && last < UINT32_MAX; at += 4, last++)
		if (word & 1)
			return last + 1;
	return 0;
}

bool exported_open(const struct elfimage *image, struct exported_list *ret_list)
{
	struct exported_list list = {0};
	struct tables tables;

	if (!image->data || !image->elf64 || !find_tables(image, &tables))
		return false;
	list.symbols = tables.symbols;
	list.strings = tables.strings;
	if (tables.gnu_hash.data)
		list.n = count_by_gnu_hash(tables.gnu_hash);
	else if (!slice_u32(tables.hash, 4, &list.n))
		return false;
	if (list.n > list.symbols.bytes / sizeof(Elf64_Sym))
		list.n = (uint32_t)(list.symbols.bytes / sizeof(Elf64_Sym));
	*ret_list = list;
	return true;
}

bool exported_get(const struct exported_list *list, uint32_t index, Elf64_Sym *ret_symbol,
	const char **ret_name)
{
	const char *name;

	if (!slice_read(
		    list->symbols, index * sizeof(*ret_symbol), ret_symbol, sizeof(*ret_symbol)))
		return false;
	name = slice_string(
		slice_first(slice_rest(list->strings, ret_symbol->st_name), NAME_MOST), 0);
	if (!name || !*name)
		return false;
	*ret_name = name;
	return true;
}

bool exported_search(
	const struct space *space, const char *name, size_t *cursor, struct exported *ret_exported)
{
	const struct module *last = NULL;

	while (*cursor < space->n) {
		const struct mapping *mapping = &space->mappings[(*cursor)++];
		uint64_t svma;

		if (!mapping->execute || !mapping->module->headers_ok || mapping->module == last)
			continue;
		last = mapping->module;
		if (!find_exported(&mapping->module->image, name, &svma))
			continue;
		*ret_exported = (struct exported){mapping->module, svma, mapping->bias};
		return true;
	}
	return false;
}

bool exported_read(const struct module *module, uint64_t svma, void *to, size_t bytes)
{
	return module->headers_ok && slice_read(elfimage_at(&module->image, svma), 0, to, bytes);
}

const char *exported_path(const struct module *module)
{
	return module->key.path;
}
