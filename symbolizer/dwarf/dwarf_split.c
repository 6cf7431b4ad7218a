/* SPDX-License-Identifier: MIT */
/*
 * Opens split units. libdwarf gets only .debug_info.dwo and .debug_abbrev.dwo, named without
 * ".dwo"; dwarf_facts.c looks up what a unit refers to by index.
 */
#include "symbolizer/dwarf/dwarf_api.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/base/budget.h"

/*
 * Sets the data that the DIEs of a split unit need. @version5 and @wide (64-bit DWARF) are from the
 * split unit's own header.
 */
static void describe(struct dwarf_split *s, const struct dwarf_unit *skeleton,
	const struct dwarf_split_unit *from, bool version5, bool wide)
{
	s->lists = skeleton->lists;
	s->lists.version5 = version5;
	s->lists.offset_bytes = wide ? 8 : 4;
	s->string_offsets = from->string_offsets;
	s->strings = from->strings;
	if (!version5) {
		s->ranges_base = skeleton->ranges_base;
		return;
	}
	/*
	 * The tables begin behind their sections' headers. These have 20 bytes (.debug_rnglists)
	 * and 16 (.debug_str_offsets) in 64-bit DWARF, 12 and 8 in 32-bit DWARF.
	 */
	s->lists.lists = from->rnglists;
	s->lists.lists_base = wide ? 20 : 12;
	s->strings_base = wide ? 16 : 8;
}

/*
 * Is the next unit that of @skeleton? 1: yes; 0: no; -ENOENT: there are no more units, or the
 * budget is used up, which the caller turns into -E2BIG.
 */
static int look_at_next(struct dwarf_reader *r, const struct dwarf_unit *skeleton,
	const struct dwarf_split_unit *from, struct dwarf_unit *ret_unit)
{
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Half version, address_bytes, offset_bytes, extension, unit_type;
	Dwarf_Off abbreviations, offset = 0;
	Dwarf_Sig8 signature = {{0}};
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	struct dwarf_facts facts;
	uint64_t id;
	int found;

	if (dwarf_next_cu_header_d(r->own.dbg, true, &length, &version, &abbreviations,
		    &address_bytes, &offset_bytes, &extension, &signature, &type_offset, &next,
		    &unit_type, &error) != DW_DLV_OK ||
		!budget_take(r->budget, 64)) {
		dwarf_facts_forget(r->own.dbg, error);
		return -ENOENT;
	}
	if (dwarf_siblingof_b(r->own.dbg, NULL, true, &die, &error) != DW_DLV_OK) {
		dwarf_facts_forget(r->own.dbg, error);
		return 0;
	}
	describe(r->split, skeleton, from, version >= 5, offset_bytes == 8);
	dwarf_facts_read(r, r->own.dbg, die, &facts);
	memcpy(&id, &signature, sizeof(id));
	if (version < 5)
		id = facts.dwo_id;
	found = id == skeleton->dwo_id && dwarf_dieoffset(die, &offset, &error) == DW_DLV_OK;
	dwarf_facts_forget(r->own.dbg, error);
	dwarf_dealloc_die(die);
	if (!found)
		return 0;
	*ret_unit = (struct dwarf_unit){.die = offset, .lists = r->split->lists, .code = true};
	dwarf_reader_judge(facts.language, ret_unit);
	return 1;
}

int dwarf_reader_open_split(const struct dwarf_reader *skeletons, const struct dwarf_unit *skeleton,
	const struct dwarf_split_unit *from, struct dwarf_reader **ret_reader,
	struct dwarf_unit *ret_unit)
{
	struct dwarf_reader *r;
	int rc;

	if (!from->info.data || !from->abbreviations.data)
		return -ENOENT;
	if (!budget_fits(skeletons->budget, from->abbreviations.bytes * 24))
		return -E2BIG;
	r = calloc(1, sizeof(*r));
	if (r)
		r->split = calloc(1, sizeof(*r->split));
	if (!r || !r->split) {
		free(r);
		return -ENOMEM;
	}
	r->budget = skeletons->budget;
	r->text_low = skeletons->text_low;
	r->text_high = skeletons->text_high;
	r->split->section[0] = (struct dwarf_section){
		".debug_info", from->info.data, from->info.bytes, 0, SHT_PROGBITS};
	r->split->section[1] = (struct dwarf_section){".debug_abbrev", from->abbreviations.data,
		from->abbreviations.bytes, 0, SHT_PROGBITS};
	r->split->source = (struct dwarf_source){
		.sections = r->split->section, .n = 2, .elf64 = skeletons->own.source->elf64};
	rc = dwarf_sections_open(&r->own, &r->split->source) ? -ENOENT : 0;
	while (rc == 0)
		rc = look_at_next(r, skeleton, from, ret_unit);
	if (rc < 0) {
		dwarf_reader_close(r);
		return skeletons->budget && skeletons->budget->over ? -E2BIG : rc;
	}
	*ret_reader = r;
	return 0;
}
