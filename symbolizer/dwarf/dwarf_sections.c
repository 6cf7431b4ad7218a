/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/dwarf_api.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* Sections that rangelist.c reads are hidden from libdwarf (see rangelist.h). */
static bool is_ours(const struct dwarf_section *section)
{
	return strcmp(section->name, ".debug_ranges") == 0 ||
		strcmp(section->name, ".debug_rnglists") == 0;
}

/* A callback of libdwarf. Section 0 is ELF's null section; section 1 is the source's first one. */
static int get_section_info(void *context, section_index index, section_type *ret, int *error)
{
	const struct dwarf_sections *object = context;
	const struct dwarf_section *section;

	(void)error;
	memset(ret, 0, sizeof(*ret));
	ret->FIELD(name) = "";
	if (index > object->source->n)
		return DW_DLV_NO_ENTRY;
	if (index == 0)
		return DW_DLV_OK;
	section = &object->source->sections[index - 1];
	if (is_ours(section))
		return DW_DLV_OK;
	ret->FIELD(name) = section->name;
	ret->FIELD(addr) = section->svma;
	ret->FIELD(size) = section->bytes;
	ret->FIELD(type) = section->type;
	return DW_DLV_OK;
}

static byte_order_type get_byte_order(void *context)
{
	(void)context;
	return BYTE_ORDER == LITTLE_ENDIAN ? LSB_FIRST : MSB_FIRST;
}

static Dwarf_Small get_word_bytes(void *context)
{
	const struct dwarf_sections *object = context;

	return object->source->elf64 ? 8 : 4;
}

static Dwarf_Unsigned get_section_count(void *context)
{
	const struct dwarf_sections *object = context;

	return object->source->n + 1;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned get_filesize(void *context)
{
	const struct dwarf_sections *object = context;
	Dwarf_Unsigned bytes = 0;

	for (size_t i = 0; i < object->source->n; i++)
		bytes += object->source->sections[i].bytes;
	return bytes;
}
#endif

static int load_section(void *context, section_index index, Dwarf_Small **ret_data, int *error)
{
	const struct dwarf_sections *object = context;

	(void)error;
	if (index == 0 || index > object->source->n || !object->source->sections[index - 1].bytes)
		return DW_DLV_NO_ENTRY;
	*ret_data = (Dwarf_Small *)object->source->sections[index - 1].data;
	return DW_DLV_OK;
}

static const methods_type methods = {
	METHOD(get_section_info) = get_section_info,
	METHOD(get_byte_order) = get_byte_order,
	METHOD(get_length_size) = get_word_bytes,
	METHOD(get_pointer_size) = get_word_bytes,
	METHOD(get_section_count) = get_section_count,
	METHOD(load_section) = load_section,
#ifdef DW_LIBDWARF_VERSION
	METHOD(get_filesize) = get_filesize,
#endif
};

int dwarf_sections_open(struct dwarf_sections *sections, const struct dwarf_source *source)
{
	Dwarf_Error error = NULL;

	*sections = (struct dwarf_sections){.source = source};
#ifdef DW_LIBDWARF_VERSION
	sections->interface = (interface_type){.ai_object = sections, .ai_methods = &methods};
#else
	sections->interface = (interface_type){.object = sections, .methods = &methods};
#endif
	if (dwarf_object_init_b(&sections->interface, NULL, NULL, DW_GROUPNUMBER_BASE,
		    &sections->dbg, &error) == DW_DLV_OK)
		return 0;
	if (error)
		dwarf_dealloc_error(NULL, error);
	sections->dbg = NULL;
	return -ENOEXEC;
}

void dwarf_sections_close(struct dwarf_sections *sections)
{
	if (sections->dbg)
		finish(sections->dbg);
	sections->dbg = NULL;
}

struct slice dwarf_sections_find(const struct dwarf_source *source, const char *name)
{
	for (size_t i = 0; i < source->n; i++)
		if (strcmp(source->sections[i].name, name) == 0)
			return (struct slice){source->sections[i].data, source->sections[i].bytes};
	return (struct slice){0};
}
