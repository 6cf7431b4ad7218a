/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/dwarf_api.h"

#include <string.h>

void dwarf_facts_forget(Dwarf_Debug dbg, Dwarf_Error error)
{
	if (error)
		dwarf_dealloc_error(dbg, error);
}

/* These functions read the value of an attribute. False: it has another form, or is damaged. */
static bool read_unsigned(Dwarf_Debug dbg, Dwarf_Attribute attribute, uint64_t *ret_value)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned value = 0;
	bool known = dwarf_formudata(attribute, &value, &error) == DW_DLV_OK;

	dwarf_facts_forget(dbg, error);
	if (known)
		*ret_value = value;
	return known;
}

static bool read_signed(Dwarf_Debug dbg, Dwarf_Attribute attribute, uint64_t *ret_value)
{
	Dwarf_Error error = NULL;
	Dwarf_Signed value = 0;
	bool known = dwarf_formsdata(attribute, &value, &error) == DW_DLV_OK;

	dwarf_facts_forget(dbg, error);
	if (known)
		*ret_value = (uint64_t)value;
	return known;
}

static bool read_offset(Dwarf_Debug dbg, Dwarf_Attribute attribute, uint64_t *ret_value)
{
	Dwarf_Error error = NULL;
	Dwarf_Off value = 0;
	bool known = dwarf_global_formref(attribute, &value, &error) == DW_DLV_OK;

	dwarf_facts_forget(dbg, error);
	if (known)
		*ret_value = value;
	return known;
}

/* Reads a number of 32 bits; 0: unknown. */
static uint32_t read_u32(Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	uint64_t value = 0;

	if (!read_unsigned(dbg, attribute, &value))
		(void)read_signed(dbg, attribute, &value);
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

/*
 * In a split unit, DIEs refer to addresses and strings by index. libdwarf does not have the
 * sections with these (dwarf_split.c), so the functions below look them up, with bounds checks.
 */
static bool read_split_address(const struct dwarf_reader *r, Dwarf_Debug dbg,
	Dwarf_Attribute attribute, uint64_t *ret_address)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned index = 0;

	if (dwarf_get_debug_addr_index(attribute, &index, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return false;
	}
	return rangelist_address(&r->split->lists, index, ret_address);
}

static const char *read_split_string(
	const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	const uint8_t offset_bytes = r->split->lists.offset_bytes;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned index = 0;
	uint64_t at;

	if (dwarf_get_debug_str_index(attribute, &index, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return NULL;
	}
	if (index > UINT32_MAX ||
		!slice_word(r->split->string_offsets, r->split->strings_base + index * offset_bytes,
			offset_bytes, &at))
		return NULL;
	return slice_string(r->split->strings, at);
}

/*
 * Reads a string. A string in the supplement is looked up without libdwarf, for which the
 * supplement would have to be the "tied" file (dwarf_set_tied_dbg()).
 */
static const char *read_string(
	const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;
	char *text = NULL;
	uint64_t offset;
	int rc;

	if (dwarf_whatform(attribute, &form, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return NULL;
	}
	if (r->split &&
		(form == DW_FORM_GNU_str_index ||
			(form >= DW_FORM_strx1 && form <= DW_FORM_strx4) || form == DW_FORM_strx))
		return read_split_string(r, dbg, attribute);
	if (form != DW_FORM_GNU_strp_alt && form != DW_FORM_strp_sup) {
		rc = dwarf_formstring(attribute, &text, &error);
		if (rc == DW_DLV_ERROR)
			dwarf_facts_forget(dbg, error);
		return rc == DW_DLV_OK ? text : NULL;
	}
	return read_offset(dbg, attribute, &offset) ? slice_string(r->supplement_strings, offset)
						    : NULL;
}

static bool is_indexed(Dwarf_Half form)
{
	return form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index ||
		(form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4);
}

static bool read_address(const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute,
	Dwarf_Half form, uint64_t *ret_address)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr address = 0;
	bool known;

	if (r->split && is_indexed(form))
		return read_split_address(r, dbg, attribute, ret_address);
	known = dwarf_formaddr(attribute, &address, &error) == DW_DLV_OK;
	*ret_address = address;
	dwarf_facts_forget(dbg, error);
	return known;
}

static void read_high(const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute,
	Dwarf_Half form, struct dwarf_facts *facts, bool *ret_is_length)
{
	*ret_is_length = form != DW_FORM_addr && !is_indexed(form);
	if (!*ret_is_length)
		facts->has_high = read_address(r, dbg, attribute, form, &facts->high);
	else if (form == DW_FORM_sdata)
		facts->has_high = read_signed(dbg, attribute, &facts->high);
	else
		facts->has_high = read_unsigned(dbg, attribute, &facts->high);
}

static void read_ranges(
	Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form, struct dwarf_facts *facts)
{
	facts->ranges_by_index = form == DW_FORM_rnglistx;
	facts->has_ranges = facts->ranges_by_index ? read_unsigned(dbg, attribute, &facts->ranges)
						   : read_offset(dbg, attribute, &facts->ranges);
}

static void take_attribute(const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute,
	struct dwarf_facts *facts, bool *high_is_length)
{
	Dwarf_Error error = NULL;
	Dwarf_Half code = 0, form = 0;

	if (dwarf_whatattr(attribute, &code, &error) != DW_DLV_OK ||
		dwarf_whatform(attribute, &form, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return;
	}
	switch (code) {
	case DW_AT_low_pc:
		facts->has_low = read_address(r, dbg, attribute, form, &facts->low);
		break;
	case DW_AT_high_pc: read_high(r, dbg, attribute, form, facts, high_is_length); break;
	case DW_AT_ranges: read_ranges(dbg, attribute, form, facts); break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: (void)read_offset(dbg, attribute, &facts->address_base); break;
	case DW_AT_rnglists_base: (void)read_offset(dbg, attribute, &facts->lists_base); break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		if (facts->has_origin)
			break;
		facts->has_origin = read_offset(dbg, attribute, &facts->origin);
		facts->origin_in_supplement = form == DW_FORM_GNU_ref_alt;
		break;
	case DW_AT_call_file: facts->call_file = read_u32(dbg, attribute); break;
	case DW_AT_call_line: facts->call_line = read_u32(dbg, attribute); break;
	case DW_AT_decl_line: facts->decl_line = read_u32(dbg, attribute); break;
	case DW_AT_language: facts->language = read_u32(dbg, attribute); break;
	case DW_AT_name: facts->name = read_string(r, dbg, attribute); break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name: facts->linkage_name = read_string(r, dbg, attribute); break;
	case DW_AT_comp_dir: facts->directory = read_string(r, dbg, attribute); break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		facts->split = true;
		facts->dwo_name = read_string(r, dbg, attribute);
		break;
	case DW_AT_GNU_dwo_id: (void)read_unsigned(dbg, attribute, &facts->dwo_id); break;
	case DW_AT_GNU_ranges_base: (void)read_offset(dbg, attribute, &facts->ranges_base); break;
	default: break;
	}
}

void dwarf_facts_read(
	const struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Die die, struct dwarf_facts *facts)
{
	Dwarf_Attribute *attributes = NULL;
	Dwarf_Error error = NULL;
	Dwarf_Signed n = 0;
	bool high_is_length = false;

	*facts = (struct dwarf_facts){0};
	if (dwarf_attrlist(die, &attributes, &n, &error) != DW_DLV_OK) {
		dwarf_facts_forget(dbg, error);
		return;
	}
	for (Dwarf_Signed i = 0; i < n; i++) {
		take_attribute(r, dbg, attributes[i], facts, &high_is_length);
		dwarf_dealloc_attribute(attributes[i]);
	}
	dwarf_dealloc(dbg, attributes, DW_DLA_LIST);
	if (r->split && facts->has_ranges && !facts->ranges_by_index)
		facts->ranges += r->split->ranges_base;
	if (facts->has_high && high_is_length)
		facts->high += facts->low;
}
