/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf_reader.h"

#include <dwarf.h>
#include <endian.h>
#include <errno.h>
#include <libdwarf.h>
#include <stdlib.h>
#include <string.h>

/* Deeper nesting than any compiler makes is damage; so are longer chains of references. */
enum { DEPTH_MAX = 256, REFERENCES_MAX = 16 };

struct object {
	char kind; /* libdwarf looks at the first byte for the formats that it knows: none of them */
	const struct dwarf_source *source;
};

/*
 * The object interface. Debian 12's libdwarf and those since 0.1 have the same functions under
 * other names, with a wider section index.
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
#define LSB_FIRST			   DW_OBJECT_LSB
#define MSB_FIRST			   DW_OBJECT_MSB
#define METHOD(name)			   .name
#define FIELD(name)			   name
#define finish(dbg)			   ((void)dwarf_object_finish(dbg, NULL))
#endif

/* Ranges are read by rangelist.c; libdwarf would read them as well if it knew of them. */
static bool is_ours(const struct dwarf_section *section)
{
	return strcmp(section->name, ".debug_ranges") == 0 ||
		strcmp(section->name, ".debug_rnglists") == 0;
}

/* Section 0 is ELF's null section. */
static int get_section_info(void *context, section_index index, section_type *ret, int *error)
{
	const struct object *object = context;
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
	const struct object *object = context;

	return object->source->elf64 ? 8 : 4;
}

static Dwarf_Unsigned get_section_count(void *context)
{
	const struct object *object = context;

	return object->source->n + 1;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned get_filesize(void *context)
{
	const struct object *object = context;
	Dwarf_Unsigned bytes = 0;

	for (size_t i = 0; i < object->source->n; i++)
		bytes += object->source->sections[i].bytes;
	return bytes;
}
#endif

static int load_section(void *context, section_index index, Dwarf_Small **ret_data, int *error)
{
	const struct object *object = context;

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

static interface_type interface_of(struct object *object)
{
#ifdef DW_LIBDWARF_VERSION
	return (interface_type){.ai_object = object, .ai_methods = &methods};
#else
	return (interface_type){.object = object, .methods = &methods};
#endif
}

struct dwarf_reader {
	struct object object, supplement_object;
	interface_type interface, supplement_interface;
	Dwarf_Debug dbg, supplement;
	struct rangelist_bytes supplement_strings, ranges, rnglists, addresses;
	uint64_t text_low, text_high;
	bool done; /* all units were seen */
};

/* What the attributes of one DIE say, as far as it is wanted here. */
struct facts {
	bool has_low, has_high, has_ranges, ranges_by_index, has_origin, origin_in_supplement, split;
	uint64_t low, high, ranges, origin, address_base, lists_base;
	uint32_t call_file, call_line, decl_line, language;
	const char *name, *linkage_name, *directory;
};

static void forget(Dwarf_Debug dbg, Dwarf_Error error)
{
	if (error)
		dwarf_dealloc_error(dbg, error);
}

static uint32_t read_u32(Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned value = 0;
	Dwarf_Signed number = 0;

	if (dwarf_formudata(attribute, &value, &error) != DW_DLV_OK) {
		forget(dbg, error);
		error = NULL;
		if (dwarf_formsdata(attribute, &number, &error) != DW_DLV_OK) {
			forget(dbg, error);
			return 0;
		}
		value = (Dwarf_Unsigned)number;
	}
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

/* Strings in the supplement are looked up by ourselves: libdwarf wants it as "tied", which is one. */
static const char *read_string(struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	const struct rangelist_bytes *strings = &r->supplement_strings;
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;
	char *text = NULL;
	Dwarf_Off offset = 0;
	int rc;

	if (dwarf_whatform(attribute, &form, &error) != DW_DLV_OK) {
		forget(dbg, error);
		return NULL;
	}
	if (form != DW_FORM_GNU_strp_alt && form != DW_FORM_strp_sup) {
		rc = dwarf_formstring(attribute, &text, &error);
		if (rc == DW_DLV_ERROR)
			forget(dbg, error);
		return rc == DW_DLV_OK ? text : NULL;
	}
	rc = dwarf_global_formref(attribute, &offset, &error);
	if (rc == DW_DLV_ERROR)
		forget(dbg, error);
	if (rc != DW_DLV_OK || offset >= strings->bytes ||
		!memchr(strings->data + offset, '\0', (size_t)(strings->bytes - offset)))
		return NULL;
	return (const char *)strings->data + offset;
}

static void read_high(Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form,
	struct facts *facts, bool *ret_is_length)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr address = 0;
	Dwarf_Unsigned length = 0;
	Dwarf_Signed number = 0;

	*ret_is_length = form != DW_FORM_addr && form != DW_FORM_addrx && form != DW_FORM_addrx1 &&
		form != DW_FORM_addrx2 && form != DW_FORM_addrx3 && form != DW_FORM_addrx4 &&
		form != DW_FORM_GNU_addr_index;
	if (!*ret_is_length) {
		facts->has_high = dwarf_formaddr(attribute, &address, &error) == DW_DLV_OK;
		facts->high = address;
	} else if (form == DW_FORM_sdata) {
		facts->has_high = dwarf_formsdata(attribute, &number, &error) == DW_DLV_OK;
		facts->high = (uint64_t)number;
	} else {
		facts->has_high = dwarf_formudata(attribute, &length, &error) == DW_DLV_OK;
		facts->high = length;
	}
	forget(dbg, error);
}

static void read_origin(Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form,
	struct facts *facts)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;

	facts->has_origin = dwarf_global_formref(attribute, &offset, &error) == DW_DLV_OK;
	facts->origin_in_supplement = form == DW_FORM_GNU_ref_alt;
	facts->origin = offset;
	forget(dbg, error);
}

static void read_ranges(Dwarf_Debug dbg, Dwarf_Attribute attribute, Dwarf_Half form,
	struct facts *facts)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned index = 0;
	Dwarf_Off offset = 0;

	facts->ranges_by_index = form == DW_FORM_rnglistx;
	if (facts->ranges_by_index) {
		facts->has_ranges = dwarf_formudata(attribute, &index, &error) == DW_DLV_OK;
		facts->ranges = index;
	} else {
		facts->has_ranges = dwarf_global_formref(attribute, &offset, &error) == DW_DLV_OK;
		facts->ranges = offset;
	}
	forget(dbg, error);
}

static uint64_t read_offset(Dwarf_Debug dbg, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;

	if (dwarf_global_formref(attribute, &offset, &error) != DW_DLV_OK)
		forget(dbg, error);
	return offset;
}

static void take_attribute(struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Attribute attribute,
	struct facts *facts, bool *high_is_length)
{
	Dwarf_Error error = NULL;
	Dwarf_Half code = 0, form = 0;
	Dwarf_Addr address = 0;

	if (dwarf_whatattr(attribute, &code, &error) != DW_DLV_OK ||
		dwarf_whatform(attribute, &form, &error) != DW_DLV_OK) {
		forget(dbg, error);
		return;
	}
	switch (code) {
	case DW_AT_low_pc:
		facts->has_low = dwarf_formaddr(attribute, &address, &error) == DW_DLV_OK;
		facts->low = address;
		forget(dbg, error);
		break;
	case DW_AT_high_pc: read_high(dbg, attribute, form, facts, high_is_length); break;
	case DW_AT_ranges: read_ranges(dbg, attribute, form, facts); break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: facts->address_base = read_offset(dbg, attribute); break;
	case DW_AT_rnglists_base: facts->lists_base = read_offset(dbg, attribute); break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		if (!facts->has_origin)
			read_origin(dbg, attribute, form, facts);
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
	case DW_AT_GNU_dwo_name: facts->split = true; break;
	default: break;
	}
}

static void read_facts(struct dwarf_reader *r, Dwarf_Debug dbg, Dwarf_Die die, struct facts *facts)
{
	Dwarf_Attribute *attributes = NULL;
	Dwarf_Error error = NULL;
	Dwarf_Signed n = 0;
	bool high_is_length = false;

	*facts = (struct facts){0};
	if (dwarf_attrlist(die, &attributes, &n, &error) != DW_DLV_OK) {
		forget(dbg, error);
		return;
	}
	for (Dwarf_Signed i = 0; i < n; i++) {
		take_attribute(r, dbg, attributes[i], facts, &high_is_length);
		dwarf_dealloc_attribute(attributes[i]);
	}
	dwarf_dealloc(dbg, attributes, DW_DLA_LIST);
	if (facts->has_high && high_is_length)
		facts->high += facts->low;
}

/* A range as it stands in the data: kept if it is in the text that the linker left. */
static int add_range(const struct dwarf_reader *r, struct unit *unit, uint64_t low, uint64_t high,
	uint32_t scope, uint32_t depth)
{
	struct unit_range range = {.low = low, .high = high, .scope = scope, .depth = depth};

	if (low < r->text_low || low >= r->text_high)
		return 0;
	return unit_add_range(unit, &range);
}

/* The addresses of a DIE. *ret_any: it names some, even if the linker threw them away. */
static int add_ranges(const struct dwarf_reader *r, const struct facts *facts,
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

static struct rangelist_bytes section_of(const struct dwarf_source *source, const char *name)
{
	for (size_t i = 0; i < source->n; i++)
		if (strcmp(source->sections[i].name, name) == 0)
			return (struct rangelist_bytes){
				source->sections[i].data, source->sections[i].bytes};
	return (struct rangelist_bytes){0};
}

static Dwarf_Debug open_source(interface_type *interface)
{
	Dwarf_Debug dbg = NULL;
	Dwarf_Error error = NULL;

	if (dwarf_object_init_b(interface, NULL, NULL, DW_GROUPNUMBER_BASE, &dbg, &error) ==
		DW_DLV_OK)
		return dbg;
	if (error)
		dwarf_dealloc_error(NULL, error);
	return NULL;
}

/* References into another file need its unit headers to be known. */
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
	forget(dbg, error);
}

int dwarf_reader_open(const struct dwarf_source *source, const struct dwarf_source *supplement,
	uint64_t text_low, uint64_t text_high, struct dwarf_reader **ret_reader)
{
	struct dwarf_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	/*
	 * libdwarf would enter each thing that it hands out into a tree, to free at the end what its
	 * user forgot: a third of all time. We forget nothing.
	 */
	(void)dwarf_set_de_alloc_flag(0);
	r->text_low = text_low;
	r->text_high = text_high;
	r->ranges = section_of(source, ".debug_ranges");
	r->rnglists = section_of(source, ".debug_rnglists");
	r->addresses = section_of(source, ".debug_addr");
	r->object.source = source;
	r->interface = interface_of(&r->object);
	r->dbg = open_source(&r->interface);
	if (!r->dbg) {
		free(r);
		return -ENOEXEC;
	}
	if (supplement) {
		r->supplement_object.source = supplement;
		r->supplement_interface = interface_of(&r->supplement_object);
		r->supplement = open_source(&r->supplement_interface);
		r->supplement_strings = section_of(supplement, ".debug_str");
	}
	if (r->supplement)
		visit_headers(r->supplement);
	*ret_reader = r;
	return 0;
}

void dwarf_reader_close(struct dwarf_reader *reader)
{
	if (!reader)
		return;
	finish(reader->dbg);
	if (reader->supplement)
		finish(reader->supplement);
	free(reader);
}

/* In C and its like types hold no functions: their DIEs, most of the tree, can be passed over. */
static void judge_language(uint32_t language, struct dwarf_unit *unit)
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
	case DW_LANG_Go: unit->mangled = true; break;
	default: unit->classes = unit->mangled = true; break;
	}
}

static int describe_unit(struct dwarf_reader *r, Dwarf_Die die, uint32_t scope,
	struct dwarf_unit *ret_unit, struct unit *index)
{
	struct dwarf_unit unit = *ret_unit;
	struct facts facts;
	Dwarf_Error error = NULL;
	Dwarf_Half tag = 0;
	Dwarf_Off offset = 0;
	int rc = 0;

	if (dwarf_tag(die, &tag, &error) != DW_DLV_OK ||
		dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		forget(r->dbg, error);
		return 0;
	}
	unit.die = offset;
	unit.code = tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
	if (unit.code) {
		read_facts(r, r->dbg, die, &facts);
		unit.lists.low_pc = facts.low;
		unit.lists.address_base = facts.address_base;
		unit.lists.lists_base = facts.lists_base;
		unit.directory = facts.directory;
		unit.split = facts.split;
		judge_language(facts.language, &unit);
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
	Dwarf_Sig8 signature;
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	int rc;

	if (reader->done)
		return 0;
	if (dwarf_next_cu_header_d(reader->dbg, true, &length, &version, &abbreviations,
		    &address_bytes, &offset_bytes, &extension, &signature, &type_offset, &next,
		    &unit_type, &error) != DW_DLV_OK) {
		forget(reader->dbg, error);
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
	if (dwarf_siblingof_b(reader->dbg, NULL, true, &die, &error) != DW_DLV_OK) {
		forget(reader->dbg, error);
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
};

static int walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope);

/* A function or an inlined call, and what is inlined into it. */
static int walk_scope(struct walk *walk, Dwarf_Die die, uint32_t scope, bool inlined)
{
	struct dwarf_reader *r = walk->reader;
	struct unit_scope added = {.parent = inlined ? scope : UNIT_NONE};
	struct facts facts;
	Dwarf_Error error = NULL;
	Dwarf_Off offset = 0;
	uint32_t index;
	bool any = false;
	int rc = 0;

	if (dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		forget(r->dbg, error);
		return 0;
	}
	read_facts(r, r->dbg, die, &facts);
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
		forget(walk->reader->dbg, error);
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

static int walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope)
{
	Dwarf_Debug dbg = walk->reader->dbg;
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL, next;
	int found, rc = 0;

	if (walk->depth >= DEPTH_MAX)
		return 0;
	walk->depth++;
	found = dwarf_child(parent, &die, &error);
	while (found == DW_DLV_OK && rc == 0) {
		rc = walk_one(walk, die, scope);
		next = NULL;
		if (rc == 0)
			found = dwarf_siblingof_b(dbg, die, true, &next, &error);
		dwarf_dealloc_die(die);
		die = next;
	}
	if (found == DW_DLV_ERROR)
		forget(dbg, error);
	walk->depth--;
	return rc;
}

static int read_files(struct dwarf_reader *r, Dwarf_Line_Context context, Dwarf_Unsigned version,
	const struct dwarf_unit *info, struct unit *unit)
{
	Dwarf_Signed first = 0, n = 0, end = 0;
	Dwarf_Error error = NULL;
	int rc = 0;

	if (dwarf_srclines_files_indexes(context, &first, &n, &end, &error) != DW_DLV_OK) {
		forget(r->dbg, error);
		return 0;
	}
	unit->first_file = first > 0 ? 1 : 0;
	for (Dwarf_Signed i = first; i < end && rc == 0; i++) {
		const char *name = NULL, *directory = NULL;
		Dwarf_Unsigned number = 0, time, bytes;
		Dwarf_Form_Data16 *md5 = NULL;

		if (dwarf_srclines_files_data_b(context, i, &name, &number, &time, &bytes, &md5,
			    &error) != DW_DLV_OK) {
			forget(r->dbg, error);
			error = NULL;
			name = NULL;
		}
		/* Up to DWARF 4 directory 0 is the compilation directory, and is not listed. */
		if (version < 5 && number == 0)
			directory = info->directory;
		else if (number > INT32_MAX ||
			dwarf_srclines_include_dir_data(
				context, (Dwarf_Signed)number, &directory, &error) != DW_DLV_OK)
			directory = NULL;
		forget(r->dbg, error);
		error = NULL;
		rc = unit_add_file(unit, name ? name : "", directory ? directory : "");
	}
	return rc;
}

static int read_rows(
	struct dwarf_reader *r, Dwarf_Line *rows, Dwarf_Signed n, struct unit *unit)
{
	size_t begin = unit->n_lines; /* of the sequence */
	int rc = 0;

	for (Dwarf_Signed i = 0; i < n && rc == 0; i++) {
		Dwarf_Unsigned line = 0, file = 0;
		Dwarf_Addr svma = 0;
		Dwarf_Bool ends = 0;
		Dwarf_Error error = NULL;

		if (dwarf_lineaddr(rows[i], &svma, &error) != DW_DLV_OK ||
			dwarf_lineendsequence(rows[i], &ends, &error) != DW_DLV_OK ||
			dwarf_lineno(rows[i], &line, &error) != DW_DLV_OK ||
			dwarf_line_srcfileno(rows[i], &file, &error) != DW_DLV_OK) {
			forget(r->dbg, error);
			continue;
		}
		if (!ends) {
			rc = unit_add_line(unit, svma, (uint32_t)(file % UNIT_NONE), (uint32_t)line);
			continue;
		}
		/* A sequence of nothing, or of what the linker threw away. */
		if (unit->n_lines > begin && (unit->lines[begin].svma >= svma ||
			unit->lines[begin].svma < r->text_low || unit->lines[begin].svma >= r->text_high))
			unit->n_lines = begin;
		else if (unit->n_lines > begin)
			rc = unit_add_line(unit, svma, UNIT_NONE, 0);
		begin = unit->n_lines;
	}
	unit->n_lines = rc ? unit->n_lines : begin;
	return rc;
}

static int read_lines(
	struct dwarf_reader *r, Dwarf_Die die, const struct dwarf_unit *info, struct unit *unit)
{
	Dwarf_Line_Context context = NULL;
	Dwarf_Line *rows = NULL;
	Dwarf_Error error = NULL;
	Dwarf_Unsigned version = 0;
	Dwarf_Small tables = 0;
	Dwarf_Signed n = 0;
	int rc;

	if (dwarf_srclines_b(die, &version, &tables, &context, &error) != DW_DLV_OK) {
		forget(r->dbg, error);
		return 0;
	}
	rc = read_files(r, context, version, info, unit);
	if (rc == 0 && tables == 1 &&
		dwarf_srclines_from_linecontext(context, &rows, &n, &error) == DW_DLV_OK)
		rc = read_rows(r, rows, n, unit);
	forget(r->dbg, error);
	dwarf_srclines_dealloc_b(context);
	return rc;
}

int dwarf_reader_read(
	struct dwarf_reader *reader, const struct dwarf_unit *info, struct unit *unit)
{
	struct walk walk = {.reader = reader, .info = info, .unit = unit};
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	int rc;

	if (dwarf_offdie_b(reader->dbg, info->die, true, &die, &error) != DW_DLV_OK) {
		forget(reader->dbg, error);
		return 0;
	}
	rc = read_lines(reader, die, info, unit);
	if (rc == 0)
		rc = walk_children(&walk, die, UNIT_NONE);
	dwarf_dealloc_die(die);
	return rc;
}

void dwarf_reader_function(
	struct dwarf_reader *reader, uint64_t die, struct dwarf_function *ret_function)
{
	Dwarf_Debug dbg = reader->dbg;

	*ret_function = (struct dwarf_function){0};
	for (int i = 0; i < REFERENCES_MAX && dbg; i++) {
		struct facts facts;
		Dwarf_Error error = NULL;
		Dwarf_Die at = NULL;

		if (dwarf_offdie_b(dbg, die, true, &at, &error) != DW_DLV_OK) {
			forget(dbg, error);
			return;
		}
		read_facts(reader, dbg, at, &facts);
		dwarf_dealloc_die(at);
		if (!ret_function->name)
			ret_function->name = facts.name;
		if (!ret_function->linkage_name)
			ret_function->linkage_name = facts.linkage_name;
		if (!ret_function->line)
			ret_function->line = facts.decl_line;
		if (!facts.has_origin || (ret_function->name && ret_function->linkage_name &&
			ret_function->line))
			return;
		die = facts.origin;
		if (facts.origin_in_supplement)
			dbg = reader->supplement;
	}
}
