/* SPDX-License-Identifier: MIT */
/* Finds exported symbols of 64-bit ELF files by hash tables. No library, no allocation. */
#ifndef SYMBOLIZER_EXPORTED_H
#define SYMBOLIZER_EXPORTED_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"

struct elfimage;
struct module;
struct space;

/* The dynamic symbol table, found by PT_DYNAMIC. The bytes belong to the image. */
struct exported_list {
	struct slice symbols, strings;
	uint32_t n; /* number of symbols in the image, undefined ones included */
};

/* Finds the dynamic symbol table. False: there is none. */
bool exported_open(const struct elfimage *image, struct exported_list *ret_list);
/* Reads symbol @index, which must be below list->n. False: it has no name. */
bool exported_get(const struct exported_list *list, uint32_t index, Elf64_Sym *ret_symbol,
	const char **ret_name);

/* An exported symbol in an address space. */
struct exported {
	const struct module *module;
	uint64_t svma, bias;
};

/*
 * Searches the files of executable mappings for @name, by ascending address. *@cursor is the index
 * of the mapping to begin at, 0 at first; it becomes the index behind the mapping found. False:
 * there are no more.
 */
bool exported_search(
	const struct space *space, const char *name, size_t *cursor, struct exported *ret_exported);

/* Copies @bytes bytes at @svma of the module's file. False: the file has fewer. */
bool exported_read(const struct module *module, uint64_t svma, void *to, size_t bytes);

/* The path of the module's file, as in maps. */
const char *exported_path(const struct module *module);

#endif
