/* SPDX-License-Identifier: MIT */
/* The input is a .dwo or .dwp file, read as if for a skeleton unit with an id of the file. */
#include <stdlib.h>
#include <string.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/dwarf_api.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/splitfile.h"
#include "tests/fuzz/fuzz.h"

enum { OF_A_FILE, OF_A_PACKAGE, PARTS };
const unsigned fuzz_parts = PARTS;

enum { ID_AT = 12, LAST_ID_AT = 64, SLOTS_AT = 16, IDS_MOST = 64, FUNCTIONS_MOST = 256 };
enum { SECT_INFO = 1, SECT_ABBREV = 3, SECT_STR_OFFSETS = 6, SECT_RNGLISTS = 8 };

/* A leak of Debian 12's libdwarf (see fuzz_dwarf.c). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdwarf.so";
}

static void read_unit(const struct dwarf_split_unit *from, uint64_t id, unsigned part)
{
	uint8_t addresses[512];
	struct budget budget;
	struct dwarf_source none = {.elf64 = true};
	struct dwarf_reader skeletons = {.text_high = UINT64_MAX, .budget = &budget}, *reader;
	struct dwarf_unit skeleton = {.dwo_id = id, .split = true}, rest;
	volatile size_t sink = 0;

	for (size_t i = 0; i < sizeof(addresses); i++)
		addresses[i] = (uint8_t)(i % 8 == 1 ? 0x10 : i / 8);
	budget_init(&budget, NULL);
	budget_admit(&budget, 4096);
	skeletons.own.source = &none;
	skeleton.lists = (struct rangelist_unit){.addresses = {addresses, sizeof(addresses)},
		.lists = from->rnglists,
		.address_bytes = 8,
		.offset_bytes = 4};
	if (dwarf_reader_open_split(&skeletons, &skeleton, from, &reader, &rest) == 0) {
		struct unit unit = {0};

		if (dwarf_reader_read(reader, &rest, &unit) == 0) {
			for (size_t i = 0; i < unit.n_scopes && i < FUNCTIONS_MOST; i++) {
				struct dwarf_function says;
				const char *scopes[4];
				int n;

				dwarf_reader_function(reader, unit.scopes[i].die, &says);
				if (says.name)
					fuzz_accept(part);
				sink = sink + (says.name ? strlen(says.name) : 0) +
					(says.linkage_name ? strlen(says.linkage_name) : 0);
				n = dwarf_reader_scopes(reader, says.origin, scopes, 4);
				for (int k = 0; k < n; k++)
					sink = sink + strlen(scopes[k]);
			}
			(void)unit_seal(&unit);
		}
		unit_release(&unit);
		dwarf_reader_close(reader);
	}
	budget_release(&budget);
}

static struct slice part_of(struct slice table, uint64_t id, uint32_t column, struct slice whole)
{
	uint64_t offset, bytes;

	if (!splitfile_look_up(table, id, column, &offset, &bytes))
		return (struct slice){0};
	return slice_part(whole, offset, bytes);
}

static void read_package(struct slice table, const struct dwarf_split_unit *whole)
{
	for (uint64_t at = SLOTS_AT; at + 8 <= table.bytes && at < SLOTS_AT + IDS_MOST * 8;
		at += 8) {
		struct dwarf_split_unit part = {.strings = whole->strings};
		uint64_t id;

		memcpy(&id, table.data + at, sizeof(id));
		part.info = part_of(table, id, SECT_INFO, whole->info);
		part.abbreviations = part_of(table, id, SECT_ABBREV, whole->abbreviations);
		part.rnglists = part_of(table, id, SECT_RNGLISTS, whole->rnglists);
		part.string_offsets = part_of(table, id, SECT_STR_OFFSETS, whole->string_offsets);
		read_unit(&part, id, OF_A_PACKAGE);
	}
}

/* Reads the file for each possible id: in the header from DWARF 5 on, else in the first DIE. */
static void read_file(const struct dwarf_split_unit *whole)
{
	uint64_t id;
	uint8_t version = whole->info.bytes > 4 ? whole->info.data[4] : 0;
	uint64_t last = version >= 5 ? ID_AT : LAST_ID_AT;

	for (uint64_t at = version >= 5 ? ID_AT : 11; at <= last && at + 8 <= whole->info.bytes;
		at++) {
		memcpy(&id, whole->info.data + at, sizeof(id));
		read_unit(whole, id, OF_A_FILE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfimage image = {0};
	struct elffile file;
	uint8_t *copy = size ? malloc(size) : NULL;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	elfimage_adopt(&image, copy, size);
	if (elffile_open(&file, &image) == 0) {
		struct slice table = elffile_bytes(&file, ".debug_cu_index");
		struct dwarf_split_unit whole = {
			.info = elffile_bytes(&file, ".debug_info.dwo"),
			.abbreviations = elffile_bytes(&file, ".debug_abbrev.dwo"),
			.rnglists = elffile_bytes(&file, ".debug_rnglists.dwo"),
			.string_offsets = elffile_bytes(&file, ".debug_str_offsets.dwo"),
			.strings = elffile_bytes(&file, ".debug_str.dwo"),
		};

		if (table.data)
			read_package(table, &whole);
		else if (whole.info.data)
			read_file(&whole);
		elffile_close(&file);
	}
	elfimage_release(&image);
	return 0;
}
