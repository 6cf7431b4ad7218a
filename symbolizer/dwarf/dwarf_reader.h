/* SPDX-License-Identifier: MIT */
/*
 * Reads DWARF 2 to 5 by libdwarf, from sections in memory. With split DWARF, a file's skeleton
 * units have lines but no functions; each unit of a .dwo or .dwp gets a reader of its own.
 */
#ifndef SYMBOLIZER_DWARF_READER_H
#define SYMBOLIZER_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/dwarf/rangelist.h"
#include "symbolizer/dwarf/unit.h"

struct budget;
struct dwarf_reader;

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
	struct rangelist_unit lists; /* where the ranges of the unit's DIEs are */
	const char *directory;       /* compilation directory, NULL: unknown */
	bool code;                   /* may describe code: not a type or partial unit */
	/* in the unit's language, types may contain functions with code */
	bool classes;
	bool mangled;         /* DW_AT_name alone does not name the unit's functions in full */
	bool split;           /* the unit's functions are in a .dwo file */
	const char *dwo_name; /* name of the .dwo file, NULL: unknown */
	uint64_t dwo_id;
	uint64_t ranges_base; /* DW_AT_GNU_ranges_base: where the .dwo's ranges begin */
	bool ranged;          /* the unit's DIE says which addresses the unit covers */
};

/*
 * A split unit's sections. In a .dwp, @strings is the whole section, and the other fields are the
 * unit's parts of sections.
 */
struct dwarf_split_unit {
	struct slice info, abbreviations, rnglists, string_offsets, strings;
};

struct dwarf_function {
	const char *name, *linkage_name; /* NULL: unknown; owned by the source */
	uint64_t origin; /* the last DIE that was followed to; 0: it is in the supplement */
	uint32_t line;
};

/*
 * Opens a reader of the DWARF in @source. @supplement: the file named by .gnu_debugaltlink, or
 * NULL. Addresses outside [text_low, text_high) are of functions discarded by the linker. Memory is
 * taken from @budget; NULL: no limit. -ENOEXEC: refused by libdwarf; -E2BIG: over the budget;
 * -ENOMEM.
 */
int dwarf_reader_open(const struct dwarf_source *source, const struct dwarf_source *supplement,
	uint64_t text_low, uint64_t text_high, struct budget *budget,
	struct dwarf_reader **ret_reader);
void dwarf_reader_close(struct dwarf_reader *reader);

/*
 * Reads the header and the DIE of the next unit, and adds the unit's ranges to @index as @scope.
 * Returns 1: a unit was read; 0: there are no more units, or the next header is damaged; -ENOMEM;
 * -E2BIG: over the budget.
 */
int dwarf_reader_next(struct dwarf_reader *reader, uint32_t scope, struct dwarf_unit *ret_unit,
	struct unit *index);

/*
 * Adds the lines and functions of the unit @info to @unit; skips damaged parts. The caller calls
 * unit_seal() afterwards. -ENOMEM; -E2BIG: over the budget.
 */
int dwarf_reader_read(
	struct dwarf_reader *reader, const struct dwarf_unit *info, struct unit *unit);

/*
 * Opens @skeleton's split unit in @from. The new reader must not outlive @skeletons or the bytes of
 * @from. The caller reads the skeleton, which has the lines, before the split unit. -ENOENT: the
 * unit is not in @from, or damaged; -ENOMEM; -E2BIG: over the budget.
 */
int dwarf_reader_open_split(const struct dwarf_reader *skeletons, const struct dwarf_unit *skeleton,
	const struct dwarf_split_unit *from, struct dwarf_reader **ret_reader,
	struct dwarf_unit *ret_unit);

/* Reads the function that the DIE of a scope describes. */
void dwarf_reader_function(
	struct dwarf_reader *reader, uint64_t die, struct dwarf_function *ret_function);
/*
 * Sets @names to the names of the namespaces, types and functions around the DIE @die, at most
 * @most, the outermost first. A type without a name has "". Returns their number; 0: none, or
 * unknown. -E2BIG: over the budget; -ENOMEM.
 */
int dwarf_reader_scopes(struct dwarf_reader *reader, uint64_t die, const char **names, size_t most);

#endif
