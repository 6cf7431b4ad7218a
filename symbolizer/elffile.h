/* SPDX-License-Identifier: MIT */
/* Reads sections of an ELF image by libelf, and decompresses them. */
#ifndef SYMBOLIZER_ELFFILE_H
#define SYMBOLIZER_ELFFILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"

struct budget;
struct elfimage;

/* Longer strings do not count as names. */
enum { ELFFILE_STRING_MOST = 65536 };

struct elffile {
	Elf *elf; /* NULL: not open */
	bool elf64;
	uint16_t machine;
	size_t n_sections;
	bool unknown_compression; /* libelf lacks the compression of a requested section */
	/* Charged for data made from the file; NULL: none. Set after elffile_open(). */
	struct budget *budget;
};

struct elffile_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, svma, bytes, entry_bytes;
	const uint8_t *data; /* NULL: none in this file (SHT_NOBITS), or damaged */
};

/* Opens @image with libelf; @image must outlive @file. -ENOEXEC: refused by libelf. */
int elffile_open(struct elffile *file, const struct elfimage *image);
void elffile_close(struct elffile *file);

/*
 * Reads section @index, 0 < index < n_sections; without @want_data, only its header. The data live
 * as long as @file. -ENOENT: no such section, or a damaged header.
 */
int elffile_section(
	struct elffile *file, size_t index, bool want_data, struct elffile_section *ret_section);
/* Index of the first section @name with data; ".debug_x" also finds ".zdebug_x". -ENOENT. */
int elffile_find(struct elffile *file, const char *name, struct elffile_section *ret_section);

/* The bytes of the first section @name; empty if there is none. */
struct slice elffile_bytes(struct elffile *file, const char *name);

/* The string at @offset; NULL: the table ends within it, or it has ELFFILE_STRING_MOST bytes. */
const char *elffile_string(const struct elffile_section *table, uint64_t offset);

#endif
