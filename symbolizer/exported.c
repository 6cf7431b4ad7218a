/* SPDX-License-Identifier: MIT */
#include "symbolizer/exported.h"

#include <elf.h>
#include <string.h>

#include "symbolizer/elfimage.h"
#include "symbolizer/module.h"

/* A hash chain is followed for so many entries: a damaged table may have no end. */
#define CHAIN_MOST 100000
/* Symbols with longer names are left out: all symbols of a bad file may have the same long name. */
#define NAME_MOST 4096

static bool read_at(const struct elfimage *image, uint64_t svma, void *to, size_t bytes)
{
	size_t have = 0;
	const uint8_t *from = elfimage_bytes_at(image, svma, &have);

	if (!from || have < bytes)
		return false;
	memcpy(to, from, bytes);
	return true;
}

static bool read32(const struct elfimage *image, uint64_t svma, uint32_t *ret_value)
{
	return read_at(image, svma, ret_value, sizeof(*ret_value));
}

/* Addresses of the tables that PT_DYNAMIC names, as in the file; 0: not there. */
struct tables {
	uint64_t symbols, strings, hash, gnu_hash;
};

/*
 * The svma of an address in PT_DYNAMIC. In memory, glibc has added the load bias to it; other C
 * libraries leave it as it is in the file.
 */
static uint64_t as_in_file(const struct elfimage *image, uint64_t address)
{
	size_t have;

	return image->loaded && !elfimage_bytes_at(image, address, &have) ? address - image->loaded
									  : address;
}

static bool find_tables(const struct elfimage *image, struct tables *ret_tables)
{
	struct tables tables = {0};

	for (size_t i = 0; i < image->n_phdr; i++) {
		const Elf64_Phdr *p = &image->phdr[i];
		uint64_t n = p->p_filesz / sizeof(Elf64_Dyn);

		if (p->p_type != PT_DYNAMIC)
			continue;
		for (uint64_t k = 0; k < n && k < 4096; k++) {
			Elf64_Dyn dynamic;
			uint64_t address;

			if (!read_at(image, p->p_vaddr + k * sizeof(dynamic), &dynamic,
				    sizeof(dynamic)) ||
				dynamic.d_tag == DT_NULL)
				break;
			address = as_in_file(image, dynamic.d_un.d_ptr);
			switch (dynamic.d_tag) {
			case DT_SYMTAB: tables.symbols = address; break;
			case DT_STRTAB: tables.strings = address; break;
			case DT_HASH: tables.hash = address; break;
			case DT_GNU_HASH: tables.gnu_hash = address; break;
			default: break;
			}
		}
	}
	*ret_tables = tables;
	return tables.symbols && tables.strings && (tables.hash || tables.gnu_hash);
}

/* Is symbol @index a definition of @name? */
static bool is_symbol(const struct elfimage *image, const struct tables *tables, uint32_t index,
	const char *name, uint64_t *ret_svma)
{
	size_t length = strlen(name) + 1;
	Elf64_Sym symbol;
	char text[64];

	if (length > sizeof(text) ||
		!read_at(image, tables->symbols + (uint64_t)index * sizeof(symbol), &symbol,
			sizeof(symbol)) ||
		symbol.st_shndx == SHN_UNDEF ||
		!read_at(image, tables->strings + symbol.st_name, text, length) ||
		memcmp(text, name, length) != 0)
		return false;
	*ret_svma = symbol.st_value;
	return true;
}

/*
 * Looks up @name by DT_HASH, buckets and chain of the System V ABI: nbucket, nchain, bucket[],
 * chain[].
 */
static bool find_by_hash(const struct elfimage *image, const struct tables *tables,
	const char *name, uint64_t *ret_svma)
{
	uint32_t hash = 0, buckets, index;

	for (const char *c = name; *c; c++) {
		hash = (hash << 4) + (uint8_t)*c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	if (!read32(image, tables->hash, &buckets) || !buckets ||
		!read32(image, tables->hash + 8 + 4 * (uint64_t)(hash % buckets), &index))
		return false;
	for (unsigned i = 0; index && i < CHAIN_MOST; i++) {
		if (is_symbol(image, tables, index, name, ret_svma))
			return true;
		if (!read32(image, tables->hash + 8 + 4 * ((uint64_t)buckets + index), &index))
			return false;
	}
	return false;
}

/*
 * Looks up @name by DT_GNU_HASH: buckets, first symbol, words of a Bloom filter, shift; then the
 * filter (8 bytes a word), bucket[], and chain[] with a hash for each symbol from the first one on,
 * whose lowest bit marks the end of a bucket.
 */
static bool find_by_gnu_hash(const struct elfimage *image, const struct tables *tables,
	const char *name, uint64_t *ret_svma)
{
	uint32_t hash = 5381, head[4], index, here;
	uint64_t bucket, chain;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (uint8_t)*c;
	if (!read_at(image, tables->gnu_hash, head, sizeof(head)) || !head[0])
		return false;
	bucket = tables->gnu_hash + sizeof(head) + 8 * (uint64_t)head[2];
	chain = bucket + 4 * (uint64_t)head[0];
	if (!read32(image, bucket + 4 * (uint64_t)(hash % head[0]), &index))
		return false;
	for (unsigned i = 0; index >= head[1] && i < CHAIN_MOST; i++, index++) {
		if (!read32(image, chain + 4 * (uint64_t)(index - head[1]), &here))
			return false;
		if ((here | 1) == (hash | 1) && is_symbol(image, tables, index, name, ret_svma))
			return true;
		if (here & 1)
			return false;
	}
	return false;
}

bool exported_find(const struct elfimage *image, const char *name, uint64_t *ret_svma)
{
	struct tables tables;

	if (!image->data || !image->elf64 || !find_tables(image, &tables))
		return false;
	if (tables.gnu_hash)
		return find_by_gnu_hash(image, &tables, name, ret_svma);
	return find_by_hash(image, &tables, name, ret_svma);
}

static uint32_t word_at(const uint8_t *data, uint64_t index)
{
	uint32_t word;

	memcpy(&word, data + 4 * index, sizeof(word));
	return word;
}

/*
 * The number of symbols, which DT_GNU_HASH does not contain: the last symbol is at the end of the
 * chain of the last bucket.
 */
static uint32_t count_by_gnu_hash(const struct elfimage *image, const struct tables *tables)
{
	size_t have = 0;
	const uint8_t *data = elfimage_bytes_at(image, tables->gnu_hash, &have);
	uint64_t words = have / 4, bucket, chain;
	uint32_t first, last = 0, index;

	if (!data || words < 4)
		return 0;
	first = word_at(data, 1);
	bucket = 4 + 2 * (uint64_t)word_at(data, 2);
	chain = bucket + word_at(data, 0);
	if (chain > words)
		return 0;
	for (; bucket < chain; bucket++) {
		index = word_at(data, bucket);
		last = index > last ? index : last;
	}
	if (last < first)
		return 0;
	for (uint64_t i = chain + last - first; i < words && last < UINT32_MAX; i++, last++)
		if (word_at(data, i) & 1)
			return last + 1;
	return 0;
}

bool exported_open(const struct elfimage *image, struct exported_list *ret_list)
{
	struct exported_list list = {0};
	struct tables tables;
	size_t have = 0;

	if (!image->data || !image->elf64 || !find_tables(image, &tables))
		return false;
	if (tables.gnu_hash)
		list.n = count_by_gnu_hash(image, &tables);
	else if (!read32(image, tables.hash + 4, &list.n))
		return false;
	list.symbols = elfimage_bytes_at(image, tables.symbols, &have);
	list.strings = elfimage_bytes_at(image, tables.strings, &list.strings_bytes);
	if (!list.symbols || !list.strings)
		return false;
	if (list.n > have / sizeof(Elf64_Sym))
		list.n = (uint32_t)(have / sizeof(Elf64_Sym));
	*ret_list = list;
	return true;
}

bool exported_get(const struct exported_list *list, uint32_t index, Elf64_Sym *ret_symbol,
	const char **ret_name)
{
	const uint8_t *name;
	size_t most;

	memcpy(ret_symbol, list->symbols + index * sizeof(*ret_symbol), sizeof(*ret_symbol));
	if (ret_symbol->st_name >= list->strings_bytes)
		return false;
	name = list->strings + ret_symbol->st_name;
	most = list->strings_bytes - ret_symbol->st_name;
	if (!*name || !memchr(name, 0, most < NAME_MOST ? most : NAME_MOST))
		return false;
	*ret_name = (const char *)name;
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
		if (!exported_find(&mapping->module->image, name, &svma))
			continue;
		*ret_exported = (struct exported){mapping->module, svma, mapping->bias};
		return true;
	}
	return false;
}

bool exported_read(const struct module *module, uint64_t svma, void *to, size_t bytes)
{
	return module->headers_ok && read_at(&module->image, svma, to, bytes);
}

const char *exported_path(const struct module *module)
{
	return module->key.path;
}
