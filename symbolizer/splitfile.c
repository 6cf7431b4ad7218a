/* SPDX-License-Identifier: MIT */
#include "symbolizer/splitfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/pool.h"
#include "opener/opener.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/module.h"

enum { PATH_BYTES = 8192, PACKAGES = 2 };
/*
 * A process may have 65,530 mappings. elfimage_map() makes two for each open file: the file, and
 * zero bytes behind it.
 */
enum { FILES_MOST = 16384 };
enum { SECT_INFO = 1, SECT_ABBREV = 3, SECT_STR_OFFSETS = 6, SECT_RNGLISTS = 8 };

struct splitfile {
	const char *path; /* interned */
	struct elfimage image;
	struct elffile elf; /* .elf NULL: missing, or not an ELF file */
	struct dwarf_split_unit whole;
	struct slice table; /* table of a .dwp */
};

struct splitfiles {
	struct symbolizer *symbolizer;
	const char *path, *debug_path;
	struct budget *budget;
	struct splitfile **file; /* ascending by path's address */
	size_t n, capacity, missing;
	const char *first_missing;
};

int splitfiles_new(struct symbolizer *symbolizer, const char *path, const char *debug_path,
	struct budget *budget, struct splitfiles **ret_splitfiles)
{
	struct splitfiles *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->symbolizer = symbolizer;
	s->path = path;
	s->debug_path = debug_path;
	s->budget = budget;
	s->first_missing = "";
	*ret_splitfiles = s;
	return 0;
}

void splitfiles_free(struct splitfiles *splitfiles)
{
	if (!splitfiles)
		return;
	for (size_t i = 0; i < splitfiles->n; i++) {
		elffile_close(&splitfiles->file[i]->elf);
		elfimage_release(&splitfiles->file[i]->image);
		free(splitfiles->file[i]);
	}
	free(splitfiles->file);
	free(splitfiles);
}

static void open_file(struct splitfiles *s, struct splitfile *file)
{
	struct opened opened;
	int r = opener_ask_path(s->symbolizer->options.opener, OPENING_ELF, 0, file->path, &opened);

	if (r < 0)
		return;
	r = elfimage_map(&file->image, opened.fd);
	(void)close(opened.fd);
	if (r < 0 || elffile_open(&file->elf, &file->image) < 0)
		return;
	budget_admit(s->budget, file->image.bytes);
	file->elf.budget = s->budget;
	file->table = elffile_bytes(&file->elf, ".debug_cu_index");
	file->whole = (struct dwarf_split_unit){
		.info = elffile_bytes(&file->elf, ".debug_info.dwo"),
		.abbreviations = elffile_bytes(&file->elf, ".debug_abbrev.dwo"),
		.rnglists = elffile_bytes(&file->elf, ".debug_rnglists.dwo"),
		.string_offsets = elffile_bytes(&file->elf, ".debug_str_offsets.dwo"),
		.strings = elffile_bytes(&file->elf, ".debug_str.dwo"),
	};
}

static size_t slot_of(const struct splitfiles *s, const char *path)
{
	return array_bisect(i, 0, s->n, (uintptr_t)s->file[i]->path < (uintptr_t)path);
}

/*
 * Finds or opens the file at @path. If it cannot be read, elf.elf of *@ret_file is NULL. -ENOENT:
 * too many files are open; -ENOMEM.
 */
static int file_at(struct splitfiles *s, const char *path, struct splitfile **ret_file)
{
	const char *interned = pool_intern(&s->symbolizer->strings, path, strlen(path));
	struct splitfile *file;
	size_t slot;

	if (!interned)
		return -ENOMEM;
	slot = slot_of(s, interned);
	if (slot < s->n && s->file[slot]->path == interned) {
		*ret_file = s->file[slot];
		return 0;
	}
	if (s->n == FILES_MOST)
		return -ENOENT;
	if (array_grow(&s->file, &s->capacity, s->n + 1) < 0)
		return -ENOMEM;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->path = interned;
	memmove(s->file + slot + 1, s->file + slot, (s->n - slot) * sizeof(*s->file));
	s->file[slot] = file;
	s->n++;
	open_file(s, file);
	*ret_file = file;
	return 0;
}

static uint64_t u32_at(struct slice table, uint64_t at)
{
	uint32_t value = 0;

	(void)slice_u32(table, at, &value);
	return value;
}

/* The row of a unit in a .dwp, from 1 on, by open addressing with a second hash; 0: none. */
static uint64_t row_of(struct slice table, uint64_t id, uint64_t slots)
{
	uint64_t mask = slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;

	for (uint64_t i = 0; i < slots; i++, at = (at + step) & mask) {
		uint64_t row = u32_at(table, 16 + slots * 8 + at * 4), here = 0;

		if (!row)
			return 0;
		if (slice_u64(table, 16 + at * 8, &here) && here == id)
			return row;
	}
	return 0;
}

/*
 * The table of a .dwp, .debug_cu_index (DWARF 5, section 7.3.5.3):
 *
 * offset           size            field
 *      0              4            version: u32 2; or u16 5, then 2 bytes of padding
 *      4              4            columns
 *      8              4            units
 *     12              4            slots S, a power of two
 *     16            8*S            ids
 *                   4*S            rows, from 1 on, 0: a free slot
 *             4*columns            the section of each column: DW_SECT_…
 *       4*columns*units            offsets
 *       4*columns*units            sizes
 */
bool splitfile_look_up(
	struct slice table, uint64_t id, uint32_t column, uint64_t *ret_offset, uint64_t *ret_bytes)
{
	uint64_t columns, units, slots, row, head;

	if (!table.data || table.bytes < 16 ||
		((u32_at(table, 0) & 0xffff) != 5 && u32_at(table, 0) != 2))
		return false;
	columns = u32_at(table, 4);
	units = u32_at(table, 8);
	slots = u32_at(table, 12);
	if (!slots || slots & (slots - 1) || columns > 16 || units > slots)
		return false;
	head = 16 + slots * 12;
	if (head + columns * 4 + columns * units * 8 > table.bytes)
		return false;
	row = row_of(table, id, slots);
	if (!row || row > units)
		return false;
	for (uint64_t i = 0; i < columns; i++) {
		uint64_t at = head + (columns * row + i) * 4;

		if (u32_at(table, head + i * 4) != column)
			continue;
		*ret_offset = u32_at(table, at);
		*ret_bytes = u32_at(table, at + columns * units * 4);
		return true;
	}
	return false;
}

static struct slice part_of(struct slice table, uint64_t id, uint32_t column, struct slice whole)
{
	uint64_t offset, bytes;

	if (!splitfile_look_up(table, id, column, &offset, &bytes))
		return (struct slice){0};
	return slice_part(whole, offset, bytes);
}

static int find_in_package(
	struct splitfiles *s, const char *of, uint64_t id, struct dwarf_split_unit *ret_unit)
{
	char path[PATH_BYTES];
	struct splitfile *file;
	int n = snprintf(path, sizeof(path), "%s.dwp", of), r;

	if (n <= 0 || (size_t)n >= sizeof(path))
		return -ENOENT;
	r = file_at(s, path, &file);
	if (r < 0 || !file->elf.elf)
		return r < 0 ? r : -ENOENT;
	*ret_unit = (struct dwarf_split_unit){
		.info = part_of(file->table, id, SECT_INFO, file->whole.info),
		.abbreviations = part_of(file->table, id, SECT_ABBREV, file->whole.abbreviations),
		.rnglists = part_of(file->table, id, SECT_RNGLISTS, file->whole.rnglists),
		.string_offsets =
			part_of(file->table, id, SECT_STR_OFFSETS, file->whole.string_offsets),
		.strings = file->whole.strings,
	};
	return ret_unit->info.data ? 0 : -ENOENT;
}

static int find_file(struct splitfiles *s, const char *directory, int bytes, const char *name,
	struct dwarf_split_unit *ret_unit)
{
	char path[PATH_BYTES];
	struct splitfile *file;
	int n, r;

	n = snprintf(path, sizeof(path), "%.*s%s%s", bytes, directory, bytes ? "/" : "", name);
	if (n <= 0 || (size_t)n >= sizeof(path))
		return -ENOENT;
	r = file_at(s, path, &file);
	if (r < 0 || !file->whole.info.data)
		return r < 0 ? r : -ENOENT;
	*ret_unit = file->whole;
	return 0;
}

int splitfiles_find(struct splitfiles *splitfiles, const char *directory, const char *name,
	uint64_t id, struct dwarf_split_unit *ret_unit)
{
	struct splitfiles *s = splitfiles;
	const char *package[PACKAGES] = {s->path, s->debug_path};
	const char *slash = strrchr(s->path, '/'), *base;
	bool absolute = name && name[0] == '/';
	int r = -ENOENT, home = slash ? (int)(slash - s->path) : 0;

	for (size_t i = 0; i < PACKAGES && r == -ENOENT; i++)
		r = package[i] ? find_in_package(s, package[i], id, ret_unit) : r;
	if (r != -ENOENT || !name || !name[0])
		return r;
	if (absolute)
		r = find_file(s, "", 0, name, ret_unit);
	else if (directory)
		r = find_file(s, directory, (int)strnlen(directory, PATH_BYTES), name, ret_unit);
	if (r == -ENOENT && !absolute && slash)
		r = find_file(s, s->path, home, name, ret_unit);
	base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (r == -ENOENT && base != name && slash)
		r = find_file(s, s->path, home, base, ret_unit);
	return r;
}

void splitfiles_blame(struct splitfiles *splitfiles, const char *directory, const char *name)
{
	struct splitfiles *s = splitfiles;
	char path[PATH_BYTES];
	bool relative = name && name[0] != '/' && directory;
	const char *interned;

	if (s->missing++)
		return;
	(void)snprintf(path, sizeof(path), "%s%s%s", relative ? directory : "", relative ? "/" : "",
		name ? name : "");
	interned = pool_intern(&s->symbolizer->strings, path, strlen(path));
	s->first_missing = interned ? interned : "";
}

size_t splitfiles_missing(const struct splitfiles *splitfiles, const char **ret_path)
{
	*ret_path = splitfiles->first_missing;
	return splitfiles->missing;
}
