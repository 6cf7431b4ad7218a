/* SPDX-License-Identifier: MIT */
/*
 * The only file that includes libdwarf.h. Hides how libdwarf's API differs between Debian 12
 * (version 20210528) and versions since 0.1 (Debian 13).
 */
#ifndef SYMBOLIZER_DWARF_API_H
#define SYMBOLIZER_DWARF_API_H

/*
 * The build's flags give the folder of libdwarf's headers. Editors and checks, which lack these
 * flags, find the headers where Debian's packages install them.
 */
#if __has_include(<libdwarf.h>)
#include <dwarf.h>
#include <libdwarf.h>
#elif __has_include(<libdwarf-0/libdwarf.h>)
#include <libdwarf-0/dwarf.h>
#include <libdwarf-0/libdwarf.h>
#else
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#endif

#include "base/table.h"
#include "symbolizer/dwarf/dwarf_reader.h"

/*
 * libdwarf gets sections from us by an interface of callbacks. Version 0.1 renamed its types and
 * fields, and widened the section index. The names below are the same for both versions.
 */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a interface_type;
typedef Dwarf_Obj_Access_Methods_a methods_type;
typedef Dwarf_Obj_Access_Section_a section_type;
typedef Dwarf_Unsigned section_index;
typedef Dwarf_Small byte_order_type;
#define LSB_FIRST    DW_END_little
#define MSB_FIRST    DW_END_big
#define METHOD(name) .om_##name
#define FIELD(name)  as_##name
#define finish(dbg)  ((void)dwarf_object_finish(dbg))
#else
typedef Dwarf_Obj_Access_Interface interface_type;
typedef Dwarf_Obj_Access_Methods methods_type;
typedef Dwarf_Obj_Access_Section section_type;
typedef Dwarf_Half section_index;
typedef Dwarf_Endianness byte_order_type;
#define LSB_FIRST    DW_OBJECT_LSB
#define MSB_FIRST    DW_OBJECT_MSB
#define METHOD(name) .name
#define FIELD(name)  name
#define finish(dbg)  ((void)dwarf_object_finish(dbg, NULL))
#endif

/*
 * The sections of one file, as libdwarf requires them. Must not be moved while @dbg is open, as
 * @interface points to this struct, and @dbg to @interface.
 */
struct dwarf_sections {
	/* libdwarf expects a letter here for the file formats that it reads itself; 0: others */
	char kind;
	const struct dwarf_source *source;
	interface_type interface;
	Dwarf_Debug dbg;
};

/* Opens @source, which must outlive @sections. -ENOEXEC: refused by libdwarf; then dbg is NULL. */
int dwarf_sections_open(struct dwarf_sections *sections, const struct dwarf_source *source);
void dwarf_sections_close(struct dwarf_sections *sections);
/* The bytes of section @name; empty if there is none. */
struct slice dwarf_sections_find(const struct dwarf_source *source, const char *name);

/* A DIE whose children are @n elements of dwarf_scopes.children, from @first on. */
struct dwarf_parent {
	uint64_t die;
	size_t first, n;
};

/* Children of DIEs, listed by dwarf_reader_scopes(). */
struct dwarf_scopes {
	struct table table; /* finds @parents by DIE */
	struct dwarf_parent *parents;
	uint64_t *children;
	size_t n_parents, parents_room, n_children, children_room;
};

void dwarf_scopes_release(struct dwarf_scopes *scopes);

struct dwarf_reader {
	struct dwarf_sections own, supplement;
	struct slice supplement_strings, ranges, rnglists, addresses;
	struct slice lines;
	uint64_t text_low, text_high;
	struct dwarf_scopes scopes;
	struct budget *budget;
	struct dwarf_split *split; /* for a unit of a .dwo or .dwp, otherwise NULL */
	bool done;                 /* all units have been read */
};

/* The sections of a unit of split DWARF, and what its DIEs refer to by index. */
struct dwarf_split {
	struct dwarf_section section[2];
	struct dwarf_source source;
	/*
	 * Where the ranges of the unit's DIEs are. @lists.addresses is .debug_addr of the skeleton
	 * unit's file. In DWARF 4, @lists.lists is .debug_ranges of that file.
	 */
	struct rangelist_unit lists;
	struct slice string_offsets, strings;
	/*
	 * Offsets at which the unit's part begins: @strings_base in @string_offsets, @ranges_base
	 * in .debug_ranges (DWARF 4; otherwise 0).
	 */
	uint64_t strings_base, ranges_base;
};

struct dwarf_facts {
	bool has_low, has_high, has_ranges, ranges_by_index, has_origin, origin_in_supplement,
		split;
	uint64_t low, high, ranges, origin, address_base, lists_base, ranges_base, dwo_id;
	uint32_t call_file, call_line, decl_line, language;
	const char *name, *linkage_name, *directory, *dwo_name;
};

/* Reads the attributes of @die, a DIE of @dbg. Missing or damaged ones are left zero. */
void dwarf_facts_read(const struct dwarf_reader *reader, Dwarf_Debug dbg, Dwarf_Die die,
	struct dwarf_facts *ret_facts);
/* Frees a libdwarf error, which may be NULL. */
void dwarf_facts_forget(Dwarf_Debug dbg, Dwarf_Error error);

/* Sets unit->classes and unit->mangled by the unit's language (DW_LANG_…). */
void dwarf_reader_judge(uint32_t language, struct dwarf_unit *unit);

/*
 * Reads the line table of a unit, given the unit's DIE. -E2BIG: the table is over the budget;
 * -ENOMEM.
 */
int dwarf_lines_read(struct dwarf_reader *reader, Dwarf_Die die, const struct dwarf_unit *info,
	struct unit *unit);

#endif
