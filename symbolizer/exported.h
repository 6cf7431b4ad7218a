/* SPDX-License-Identifier: MIT */
/* The exported symbols of 64-bit ELF files, by their own hash tables: no library, no allocation. */
#ifndef SYMBOLIZER_EXPORTED_H
#define SYMBOLIZER_EXPORTED_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfimage;
struct module;
struct space;

/* The address as in its file of the exported symbol @name. False: there is none. */
bool exported_find(const struct elfimage *image, const char *name, uint64_t *ret_svma);

/* The symbols that PT_DYNAMIC leads to; they belong to the image. */
struct exported_list {
	const uint8_t *symbols, *strings;
	size_t strings_bytes;
	uint32_t n; /* those included that are not defined here; at most what is there of them */
};

/* False: there are none. */
bool exported_open(const struct elfimage *image, struct exported_list *ret_list);
/* The symbol @index below n; false: it has no name. */
bool exported_get(const struct exported_list *list, uint32_t index, Elf64_Sym *ret_symbol,
	const char **ret_name);

/* An exported symbol in an address space. */
struct exported {
	const struct module *module;
	uint64_t svma, bias;
};

/*
 * Searches the files of all executable mappings, in the order of their addresses, from the
 * @*cursor-th mapping on, 0 at first; afterwards *@cursor is behind the one found. False: no more.
 */
bool exported_search(
	const struct space *space, const char *name, size_t *cursor, struct exported *ret_exported);

/* The bytes of the file at an address of it. False: fewer than @bytes are there. */
bool exported_read(const struct module *module, uint64_t svma, void *to, size_t bytes);

/* The path of the module's file, as in maps. */
const char *exported_path(const struct module *module);

#endif
