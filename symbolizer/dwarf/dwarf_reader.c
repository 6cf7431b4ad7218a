/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/dwarf_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/dwarf_api.h"

/* DIEs nested deeper are not read. No compiler makes them. */
enum { DEPTH_MAX = 256 };
/* Bytes charged to the budget for each DIE. They are not memory, but limit the time of reading. */
enum { DIE_COST = 4 };

static int add_range(const struct dwarf_reader *r, struct unit *unit, uint64_t low, uint64_t high,
	uint32_t scope, uint32_t depth)
{
	struct unit_range range = {.low = low, .high = high, .scope = scope, .depth = depth};

	/*
	 * The linker discarded this code, so the range is not kept. It is charged nevertheless, to
	 * limit the time of reading such ranges.
	 */
	if (low < r->text_low || low >= r->text_high)
		return budget_take(r->budget, sizeof(range)) ? 0 : -E2BIG;
	return unit_add_range(unit, &range);
}

/* *@ret_any says whether the DIE has addresses, even if the linker discarded their code. */
static int add_ranges(const struct dwarf_reader *r, const struct dwarf_facts *facts,
	const struct rangelist_unit *lists, struct unit *unit, uint32_t scope, uint32_t depth,
	bool *ret_any)
{
	struct rangelist list;
	uint64_t low, high;
	int rc = 0;

	*ret_any = (facts->has_low && facts->has_high) || facts->has_ranges;
	if (facts->has_low && facts->has_high)
		return add_range(r, unit, facts->low, facts->high, scope, depth);
	if (!facts->has_ranges)
		return 0;
	if (!facts->ranges_by_index)
		list = rangelist_at(lists, facts->ranges);
	else if (!rangelist_indexed(lists, facts->ranges, &list))
		return 0;
	while (rc == 0 && rangelist_next(&list, &low, &high))
		rc = add_range(r, unit, low, high, scope, depth);
	return rc;
}

/* Reads all unit headers of a file: libdwarf follows references only into units read before. */
static void visit_headers(Dwarf_Debug dbg)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Half version, address_bytes, offset_bytes, extension, unit_type;
	Dwarf_Off abbreviations;
	Dwarf_Sig8 signature;
	Dwarf_Error error = NULL;

	while (dwarf_next_cu_header_d(dbg, true, &length, &version, &abbreviations, &address_bytes,
		       &offset_bytes, &extension, &signature, &type_offset, &next, &unit_type,
		       &error) == DW_DLV_OK)
		;
	dwarf_facts_forget(dbg, error);
}

int dwarf_reader_open(const struct dwarf_source *source, const struct dwarf_source *supplement,
	uint64_t text_low, uint64_t text_high, struct budget *budget,
	struct dwarf_reader **ret_reader)
{
	struct dwarf_reader *r;

	/* libdwarf may use a hundred bytes for an abbreviation, which has 4 in the file. */
	if (!budget_fits(budget, dwarf_sections_find(source, ".debug_abbrev").bytes * 24))
		return -E2BIG;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->budget = budget;
	r->lines = dwarf_sections_find(source, ".debug_line");
	/*
	 * By default libdwarf registers each object that it returns, which takes a third of the
	 * total time.
	 */
	(void)dwarf_set_de_alloc_flag(0);
	r->text_low = text_low;
	r->text_high = text_high;
	r->ranges = dwarf_sections_find(source, ".debug_ranges");
	r->rnglists = dwarf_sections_find(source, ".debug_rnglists");
	r->addresses = dwarf_sections_find(source, ".debug_addr");
	if (dwarf_sections_open(&r->own, source)) {
		free(r);
		return -ENOEXEC;
	}
	if (supplement) {
		r->supplement_strings = dwarf_sections_find(supplement, ".debug_str");
		/*
		 * A supplement with only strings has no .debug_info. libdwarf refuses it, and is
		 * not needed for it.
		 */
		if (dwarf_sections_open(&r->supplement, supplement) == 0)
			visit_headers(r->supplement.dbg);
	}
	*ret_reader = r;
	return 0;
}

void dwarf_reader_close(struct dwarf_reader *reader)
{
	if (!reader)
		return;
	dwarf_sections_close(&reader->own);
	dwarf_sections_close(&reader->supplement);
	dwarf_scopes_release(&reader->scopes);
	free(reader->split);
	free(reader);
}

/*
 * The DIEs of types are most of the tree. They are skipped (@classes false) if no function with
 * code can be among their children. In C, types contain no functions. In C++ and Rust they contain
 * only declarations: the DIE of a function's code is at the unit's level, and refers to the
 * declaration.
 */
void dwarf_reader_judge(uint32_t language, struct dwarf_unit *unit)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
	case DW_LANG_UPC: break;
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Pascal83:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_Rust:
	case DW_LANG_Go: unit->mangled = true; break;
	default: unit->classes = unit->mangled = true; break;
	}
}

static int describe_unit(struct dwarf_reader *r, Dwarf_Die die, uint32_t scope,
	struct dwarf_unit *ret_unit, struct unit *index)
{
	struct dwarf_unit unit = *ret_unit;
	struct dwarf_facts facts;
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;
	Dwarf_Off offset = 0;
	int rc = 0;

	if (dwarf_tag(die, &tag, &error) != DW_DLV_OK ||
		dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	unit.die = offset;
	unit.code = tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
	if (unit.code) {
		dwarf_facts_read(r, r->own.dbg, die, &facts);
		unit.lists.low_pc = facts.low;
		unit.lists.address_base = facts.address_base;
		unit.lists.lists_base = facts.lists_base;
		unit.directory = facts.directory;
		unit.split = facts.split;
		unit.dwo_name = facts.dwo_name;
		unit.ranges_base = facts.ranges_base;
		if (!unit.dwo_id)
			unit.dwo_id = facts.dwo_id;
		dwarf_reader_judge(facts.language, &unit);
		rc = add_ranges(r, &facts, &unit.lists, index, scope, 0, &unit.ranged);
	}
	*ret_unit = unit;
	return rc;
}

int dwarf_reader_next(struct dwarf_reader *reader, uint32_t scope, struct dwarf_unit *ret_unit,
	struct unit *index)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Half version, address_bytes, offset_bytes, extension, unit_type;
	Dwarf_Off abbreviations;
	Dwarf_Sig8 signature = {{0}};
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	int rc;

	if (reader->done)
		return 0;
	if (!budget_watch(reader->budget))
		return -E2BIG;
	if (dwarf_next_cu_header_d(reader->own.dbg, true, &length, &version, &abbreviations,
		    &address_bytes, &offset_bytes, &extension, &signature, &type_offset, &next,
		    &unit_type, &error) != DW_DLV_OK) {
		dwarf_facts_forget(reader->own.dbg, error);
		reader->done = true;
		return 0;
	}
	*ret_unit = (struct dwarf_unit){0};
	ret_unit->lists = (struct rangelist_unit){
		.lists = version >= 5 ? reader->rnglists : reader->ranges,
		.addresses = reader->addresses,
		.address_bytes = address_bytes == 4 ? 4 : 8,
		.offset_bytes = offset_bytes == 8 ? 8 : 4,
		.version5 = version >= 5,
	};
	if (version >= 5)
		memcpy(&ret_unit->dwo_id, &signature, sizeof(ret_unit->dwo_id));
	if (dwarf_siblingof_b(reader->own.dbg, NULL, true, &die, &error) != DW_DLV_OK) {
		dwarf_facts_forget(reader->own.dbg, error);
		return 1;
	}
	rc = describe_unit(reader, die, scope, ret_unit, index);
	dwarf_dealloc_die(die);
	return rc ? rc : 1;
}

struct walk {
	struct dwarf_reader *reader;
	const struct dwarf_unit *info;
	struct unit *unit;
	uint32_t depth;
	Dwarf_Off reached; /* the last DIE read; the next one must be behind it */
};

static int walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope);

/* Adds a function or an inlined call, and the calls inlined into it. */
static int walk_scope(struct walk *walk, Dwarf_Die die, uint32_t scope, bool inlined)
{
	struct dwarf_reader *r = walk->reader;
	struct unit_scope added = {.parent = inlined ? scope : UNIT_NONE};
	struct dwarf_facts facts;
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;
	uint32_t index;
	bool any = false;
	int rc = 0;

	if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	dwarf_facts_read(r, r->own.dbg, die, &facts);
	if ((facts.has_low && facts.has_high) || facts.has_ranges) {
		added.die = offset;
		added.call_file = facts.call_file;
		added.call_line = facts.call_line;
		rc = unit_add_scope(walk->unit, &added, &index);
		if (rc == 0)
			rc = add_ranges(r, &facts, &walk->info->lists, walk->unit, index,
				walk->depth, &any);
	}
	return any && rc == 0 ? walk_children(walk, die, index) : rc;
}

static int walk_one(struct walk *walk, Dwarf_Die die, uint32_t scope)
{
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;

	if (dwarf_tag(die, &tag, &error) != DW_DLV_OK) {
		dwarf_facts_forget(walk->reader->own.dbg, error);
		return 0;
	}
	switch (tag) {
	case DW_TAG_subprogram: return walk_scope(walk, die, scope, false);
	case DW_TAG_inlined_subroutine: return walk_scope(walk, die, scope, scope != UNIT_NONE);
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		if (!walk->info->classes)
			return 0;
		return walk_children(walk, die, scope);
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_common_block: return walk_children(walk, die, scope);
	default: return 0;
	}
}

/*
 * DIEs are in file order. In a bad file, DW_AT_sibling may lead back to an earlier DIE, and the
 * list of siblings would never end. False: @die is not behind all DIEs read before.
 */
static bool is_ahead(struct walk *walk, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;

	if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		dwarf_facts_forget(walk->reader->own.dbg, error);
		return false;
	}
	if (offset <= walk->reached)
		return false;
	walk->reached = offset;
	return true;
}

static int walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope)
{
	Dwarf_Debug dbg = walk->reader->own.dbg;
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL, next;
	int found, rc = 0;

	if (walk->depth >= DEPTH_MAX)
		return 0;
	walk->depth++;
	found = dwarf_child(parent, &die, &error);
	while (found == DW_DLV_OK && rc == 0 && is_ahead(walk, die)) {
		rc = budget_take(walk->reader->budget, DIE_COST) ? walk_one(walk, die, scope)
								 : -E2BIG;
		next = NULL;
		if (rc == 0)
			found = dwarf_siblingof_b(dbg, die, true, &next, &error);
		dwarf_dealloc_die(die);
		die = next;
	}
	if (die)
		dwarf_dealloc_die(die);
	if (found == DW_DLV_ERROR)
		dwarf_facts_forget(dbg, error);
	walk->depth--;
	return rc;
}

int dwarf_reader_read(struct dwarf_reader *reader, const struct dwarf_unit *info, struct unit *unit)
{
	struct walk walk = {.reader = reader, .info = info, .unit = unit};
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	int rc;

	if (dwarf_offdie_b(reader->own.dbg, info->die, true, &die, &error) != DW_DLV_OK) {
		dwarf_facts_forget(reader->own.dbg, error);
		return 0;
	}
	unit->budget = reader->budget;
	rc = budget_watch(reader->budget) ? dwarf_lines_read(reader, die, info, unit) : -E2BIG;
	if (rc == 0)
		rc = walk_children(&walk, die, UNIT_NONE);
	dwarf_dealloc_die(die);
	return rc;
}
