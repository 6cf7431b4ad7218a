/* SPDX-License-Identifier: MIT */
/* The exported symbols of 64-bit ELF files, by their own hash tables: no library, no allocation. */
#ifndef SYMBOLIZER_EXPORTED_H
#define SYMBOLIZER_EXPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct module;
struct space;

/* The address as in its file of the exported symbol @name. False: there is none. */
bool exported_find(const struct image *image, const char *name, uint64_t *ret_svma);

/* An exported symbol in an address space. */
struct exported {
	const struct module *module;
	uint64_t svma, bias;
};

/*
 * Searches the files of all executable mappings, in the order of their addresses, from the
 * @*cursor-th mapping on, 0 at first; afterwards *@cursor is behind the one found. False: no more.
 */
bool exported_search(const struct space *space, const char *name, size_t *cursor,
	struct exported *ret_exported);

/* The bytes of the file at an address of it. False: fewer than @bytes are there. */
bool exported_read(const struct module *module, uint64_t svma, void *to, size_t bytes);

/* The path of the module's file, as in maps. */
const char *exported_path(const struct module *module);

#endif
