/* SPDX-License-Identifier: MIT */
/*
 * Reads DWARF through libdwarf: the one place that knows its API, which differs between Debian 12
 * and 13. DWARF 2 to 5; of split DWARF the file has skeletons (lines, no functions), and each unit
 * of a .dwo or .dwp gets a reader of its own. libdwarf gets the sections from us, so that it reads
 * no file and needs no descriptor.
 */
#ifndef SYMBOLIZER_DWARF_READER_H
#define SYMBOLIZER_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/rangelist.h"
#include "symbolizer/unit.h"

struct budget;
struct dwarf_reader;
struct splitfile_unit;

struct dwarf_section {
	const char *name; /* ".debug_info", ... */
	const uint8_t *data;
	uint64_t bytes, svma;
	uint32_t type;
};

/* The .debug_ sections of one file. Must outlive the reader. */
struct dwarf_source {
	const struct dwarf_section *sections;
	size_t n;
	bool elf64;
};

struct dwarf_unit {
	uint64_t die;                /* offset of the unit's own DIE */
	struct rangelist_unit lists; /* for the ranges of its DIEs */
	const char *directory;       /* compilation directory, NULL unknown */
	bool code;                   /* a unit that may describe code, not a type or partial unit */
	bool classes;                /* its language has functions inside types */
	bool mangled;                /* DW_AT_name alone does not name its functions in full */
	bool split;                  /* the rest is in a .dwo file: */
	const char *dwo_name;        /* called so, NULL unknown */
	uint64_t dwo_id;
	uint64_t ranges_base; /* DW_AT_GNU_ranges_base: what its ranges there count from */
	bool ranged;          /* its DIE says which addresses it covers */
};

struct dwarf_function {
	const char *name, *linkage_name; /* NULL unknown; owned by the source */
	uint32_t line;
};

/*
 * @supplement is what .gnu_debugaltlink names (dwz), NULL none. Addresses outside of
 * [text_low, text_high) are of functions that the linker threw away. What is read is taken from
 * @budget, NULL none. -ENOEXEC: libdwarf refuses; -E2BIG: over the budget, here and below.
 */
int dwarf_reader_open(const struct dwarf_source *source, const struct dwarf_source *supplement,
	uint64_t text_low, uint64_t text_high, struct budget *budget,
	struct dwarf_reader **ret_reader);
void dwarf_reader_close(struct dwarf_reader *reader);

/*
 * The next unit; its ranges are added to @index under the number @scope. 1: there was one, 0: no
 * more, -ENOMEM, -E2BIG. After damage in the section there are no more.
 */
int dwarf_reader_next(struct dwarf_reader *reader, uint32_t scope, struct dwarf_unit *ret_unit,
	struct unit *index);

/* Fills @unit, which is not sealed then. -ENOMEM, -E2BIG; damaged parts are left out. */
int dwarf_reader_read(
	struct dwarf_reader *reader, const struct dwarf_unit *info, struct unit *unit);

/*
 * The unit of which @skeleton, a unit of @skeletons, is the rest. Both readers must outlive neither
 * the other nor @from's bytes. Lines are the skeleton's: both units are to be read, the skeleton
 * first. -ENOENT: it is not in there, or damaged; -ENOMEM, -E2BIG.
 */
int dwarf_reader_open_split(const struct dwarf_reader *skeletons, const struct dwarf_unit *skeleton,
	const struct splitfile_unit *from, struct dwarf_reader **ret_reader,
	struct dwarf_unit *ret_unit);

/* The function that the DIE of a scope stands for. */
void dwarf_reader_function(
	struct dwarf_reader *reader, uint64_t die, struct dwarf_function *ret_function);

#endif
