/* SPDX-License-Identifier: MIT */
#include "analyst/hotspot/hotspot_layout.h"

#include <stddef.h>
#include <string.h>

#include "analyst/base/peek.h"
#include "base/load.h"
#include "symbolizer/exported.h"

/*
 * Entries of the two tables. VMStructEntry: type name, field name, type of the field, is it static
 * (4 bytes), offset, address; VMTypeEntry: name, superclass, three numbers of 4 bytes, size. An
 * entry without a name ends a table; JDK 17 has 1,900 and 700 entries.
 */
enum {
	STRUCT_BYTES = 48,
	STRUCT_FIELD = 8,
	STRUCT_STATIC = 24,
	STRUCT_OFFSET = 32,
	STRUCT_ADDRESS = 40,
	TYPE_BYTES = 40,
	TYPE_SIZE = 32,
	ENTRIES_AT_ONCE = 1024,
	ENTRIES_MOST = 8192,
	NAME_MOST = 40,
	OFFSET_MOST = 65536,
};

#define UNSET HOTSPOT_NONE
/*
 * Maximum failed readings. The first ones may fail, as the library's tables are relocated only
 * after the library was mapped.
 */
#define TRIES_MOST 50

/*
 * Versions that must have a field. ALL: all; SOME: none, but some have it; JOINT: those up to
 * HOTSPOT_JOINT; SEPARATE: those from HOTSPOT_SEPARATE on.
 */
enum who { ALL, SOME, JOINT, SEPARATE };

struct wanted {
	const char *type, *field; /* field NULL: the size of the type */
	uint16_t at;              /* offset in struct hotspot_layout */
	bool is_static;
	enum who who;
};

#define IN(member) offsetof(struct hotspot_layout, member)

static const struct wanted wanted[] = {
	{"CodeCache", "_heaps", IN(heaps_at), true, ALL},
	{"Abstract_VM_Version", "_vm_major_version", IN(version_at), true, ALL},
	{"StubRoutines", "_call_stub_return_address", IN(call_stub_return_at), true, ALL},
	/* The first two fields are of JDK 22 and older, the next two of newer ones. */
	{"CompressedOops", "_narrow_oop._base", IN(oop_base_at), true, SOME},
	{"CompressedOops", "_narrow_oop._shift", IN(oop_shift_at), true, SOME},
	{"CompressedOops", "_base", IN(oop_base_at), true, SOME},
	{"CompressedOops", "_shift", IN(oop_shift_at), true, SOME},
	/* GenericGrowableArray exists up to JDK 16. */
	{"GenericGrowableArray", "_len", IN(array_length), false, SOME},
	{"GrowableArrayBase", "_len", IN(array_length), false, SOME},
	{"GrowableArray<int>", "_data", IN(array_data), false, ALL},
	{"CodeHeap", "_memory", IN(heap_memory), false, ALL},
	{"CodeHeap", "_segmap", IN(heap_segments), false, ALL},
	{"CodeHeap", "_log2_segment_size", IN(heap_log2), false, ALL},
	{"VirtualSpace", "_low", IN(space_low), false, ALL},
	{"VirtualSpace", "_high", IN(space_high), false, ALL},
	{"VirtualSpace", "_high_boundary", IN(space_end), false, ALL},
	{"HeapBlock::Header", "_used", IN(block_used), false, ALL},
	{"HeapBlock", NULL, IN(block_bytes), false, ALL},
	{"CodeBlob", "_name", IN(blob_name), false, ALL},
	{"CodeBlob", "_size", IN(blob_size), false, ALL},
	{"CodeBlob", "_frame_complete_offset", IN(blob_frame_complete), false, ALL},
	{"CodeBlob", "_frame_size", IN(blob_frame_size), false, ALL},
	{"CodeBlob", "_code_begin", IN(blob_code_begin), false, JOINT},
	{"CodeBlob", "_code_end", IN(blob_code_end), false, JOINT},
	{"CodeBlob", "_code_offset", IN(blob_code_offset), false, SEPARATE},
	{"CodeBlob", "_data_offset", IN(blob_data_offset), false, SEPARATE},
	{"CodeBlob", "_relocation_size", IN(blob_relocations), false, SEPARATE},
	{"CodeBlob", "_mutable_data", IN(blob_mutable), false, SEPARATE},
	{"CodeBlob", "_mutable_data_size", IN(blob_mutable_bytes), false, SEPARATE},
	{"CodeBlob", NULL, IN(blob_bytes), false, ALL},
	{"CompiledMethod", "_method", IN(code_method), false, SOME},
	{"CompiledMethod", "_scopes_data_begin", IN(code_scopes), false, JOINT},
	{"CompiledMethod", "_deopt_handler_begin", IN(code_deopt), false, JOINT},
	{"CompiledMethod", "_deopt_mh_handler_begin", IN(code_deopt_mh), false, JOINT},
	{"nmethod", "_metadata_offset", IN(code_metadata), false, JOINT},
	{"nmethod", "_dependencies_offset", IN(code_dependencies), false, JOINT},
	{"nmethod", "_verified_entry_point", IN(code_verified), false, JOINT},
	{"nmethod", "_method", IN(code_method), false, SOME},
	{"nmethod", "_scopes_data_offset", IN(code_scopes_offset), false, SEPARATE},
	/* The next two fields exist up to JDK 25. */
	{"nmethod", "_deopt_handler_offset", IN(code_deopt_offset), false, SOME},
	{"nmethod", "_deopt_mh_handler_offset", IN(code_deopt_mh_offset), false, SOME},
	{"nmethod", "_deopt_handler_entry_offset", IN(code_deopt_offset), false, SEPARATE},
	{"nmethod", "_verified_entry_offset", IN(code_verified_offset), false, SEPARATE},
	{"nmethod", "_immutable_data", IN(code_immutable), false, SEPARATE},
	{"nmethod", "_immutable_data_size", IN(code_immutable_bytes), false, SEPARATE},
	{"nmethod", "_orig_pc_offset", IN(code_original_pc), false, ALL},
	{"nmethod", "_scopes_pcs_offset", IN(code_pcs), false, ALL},
	{"nmethod", "_compile_id", IN(code_id), false, ALL},
	{"nmethod", NULL, IN(code_bytes), false, ALL},
	{"Method", "_constMethod", IN(method_const), false, ALL},
	{"Method", NULL, IN(method_bytes), false, ALL},
	{"ConstMethod", "_constants", IN(const_pool), false, ALL},
	{"ConstMethod", "_constMethod_size", IN(const_size), false, ALL},
	{"ConstMethod", "_flags", IN(const_flags), false, SOME},
	/* From JDK 21 on, the flags are in a structure of their own. */
	{"ConstMethod", "_flags._flags", IN(const_flags), false, SOME},
	{"ConstMethod", "_code_size", IN(const_code_size), false, ALL},
	{"ConstMethod", "_name_index", IN(const_name), false, ALL},
	{"ConstMethod", NULL, IN(const_bytes), false, ALL},
	{"ConstantPool", "_pool_holder", IN(pool_holder), false, ALL},
	{"ConstantPool", "_source_file_name_index", IN(pool_source), false, SOME},
	{"ConstantPool", NULL, IN(pool_bytes), false, ALL},
	/* The file's name is in InstanceKlass up to JDK 12, later in ConstantPool. */
	{"InstanceKlass", "_source_file_name_index", IN(klass_source), false, SOME},
	{"Klass", "_name", IN(klass_name), false, ALL},
	{"Symbol", "_length", IN(symbol_length), false, ALL},
	{"Symbol", "_body", IN(symbol_body), false, SOME},
	{"Symbol", "_body[0]", IN(symbol_body), false, SOME},
};

#define WANTED (sizeof(wanted) / sizeof(*wanted))

static bool is_name(const struct hotspot_tables *tables, uint64_t address, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char text[NAME_MOST];

	/* Compares two bytes first: most names differ there. */
	return exported_read(tables->module, address - tables->bias, text, 2) &&
		text[0] == name[0] && text[1] == name[1] && bytes <= sizeof(text) &&
		exported_read(tables->module, address - tables->bias, text, bytes) &&
		memcmp(text, name, bytes) == 0;
}

static void put(struct hotspot_layout *layout, const struct wanted *field, uint64_t value)
{
	uint8_t *to = (uint8_t *)layout + field->at;
	uint32_t offset = (uint32_t)value;

	if (field->is_static)
		memcpy(to, &value, sizeof(value));
	else if (value < OFFSET_MOST)
		memcpy(to, &offset, sizeof(offset));
}

/*
 * Takes the value of an entry into the layout if the layout has a field for it. @types: the entry
 * is from the table of types; otherwise it is from the table of structs.
 */
static void take(struct hotspot_tables *tables, const uint8_t *entry, bool types)
{
	uint64_t type = load_u64(entry), field = types ? 0 : load_u64(entry + STRUCT_FIELD);
	bool is_static = !types && load_u32(entry + STRUCT_STATIC);

	for (size_t i = 0; i < WANTED; i++) {
		const struct wanted *w = &wanted[i];

		if (types != !w->field || w->is_static != is_static ||
			!is_name(tables, type, w->type) ||
			(!types && !is_name(tables, field, w->field)))
			continue;
		put(&tables->layout, w,
			load_u64(entry +
				(types                      ? TYPE_SIZE
						: is_static ? STRUCT_ADDRESS
							    : STRUCT_OFFSET)));
	}
}

/* Takes what is wanted of all entries. 1; 0: the table makes no sense; -EAGAIN; -ENOMEM. */
static int read_table(
	struct hotspot_tables *tables, struct peek *peek, uint64_t pointer_at, bool types)
{
	const size_t each = types ? TYPE_BYTES : STRUCT_BYTES;
	const uint8_t *data;
	uint64_t table;
	size_t got;
	int r = peek_at(peek, pointer_at, sizeof(table), 0, &data);

	if (r <= 0)
		return r;
	table = load_u64(data);
	for (size_t n = 0; n < ENTRIES_MOST; n += ENTRIES_AT_ONCE) {
		r = peek_some(peek, table + n * each, ENTRIES_AT_ONCE * each, 0, &data, &got);
		if (r <= 0)
			return r;
		for (size_t i = 0; i < got / each && i < ENTRIES_AT_ONCE; i++) {
			if (!load_u64(data + i * each))
				return 1;
			take(tables, data + i * each, types);
		}
	}
	return 0;
}

static bool is_complete(const struct hotspot_layout *layout)
{
	const enum who one = layout->separate ? SEPARATE : JOINT;
	const struct hotspot_layout *l = layout;

	for (size_t i = 0; i < WANTED; i++) {
		const struct wanted *w = &wanted[i];
		const uint8_t *field = (const uint8_t *)layout + w->at;

		if (w->who != ALL && w->who != one)
			continue;
		if (w->is_static ? !load_u64(field) : load_u32(field) == UNSET)
			return false;
	}
	return l->array_length != UNSET && l->const_flags != UNSET && l->symbol_body != UNSET &&
		l->code_method != UNSET && l->code_bytes <= 4096 && l->const_bytes <= 256 &&
		l->pool_bytes <= 512 && l->method_bytes <= 512 && l->block_bytes <= 64;
}

/* Do all fields, of @each bytes, end within @bytes? Those that the version lacks do not matter. */
static bool fit(const uint32_t *at, size_t n, uint32_t each, uint32_t bytes)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != UNSET && at[i] + each > bytes)
			return false;
	return true;
}

#define FIT(at, each, bytes) fit(at, sizeof(at) / sizeof(*(at)), each, bytes)

/* Memory is not trusted: does each field lie in the bytes that are read? */
static bool is_sane(const struct hotspot_layout *l)
{
	const uint32_t blob_words[] = {
		l->blob_name, l->blob_code_begin, l->blob_code_end, l->blob_mutable};
	const uint32_t blob_halves[] = {l->blob_size, l->blob_frame_size, l->blob_code_offset,
		l->blob_data_offset, l->blob_relocations, l->blob_mutable_bytes};
	const uint32_t code_words[] = {l->code_method, l->code_scopes, l->code_deopt,
		l->code_deopt_mh, l->code_verified, l->code_immutable};
	const uint32_t code_halves[] = {l->code_original_pc, l->code_pcs, l->code_id,
		l->code_metadata, l->code_dependencies, l->code_scopes_offset, l->code_deopt_offset,
		l->code_deopt_mh_offset, l->code_immutable_bytes};
	const uint32_t in_const[] = {l->const_flags, l->const_code_size, l->const_name};
	const uint32_t complete[] = {l->blob_frame_complete},
		       verified[] = {l->code_verified_offset};
	const uint32_t source[] = {l->pool_source};

	return l->blob_bytes <= l->code_bytes && FIT(blob_words, 8, l->blob_bytes) &&
		FIT(blob_halves, 4, l->blob_bytes) &&
		FIT(complete, l->separate ? 2 : 4, l->blob_bytes) &&
		FIT(code_words, 8, l->code_bytes) && FIT(code_halves, 4, l->code_bytes) &&
		FIT(verified, 2, l->code_bytes) && FIT(in_const, 2, l->const_bytes) &&
		FIT(source, 2, l->pool_bytes) && l->const_pool + 8 <= l->const_bytes &&
		l->const_size + 4 <= l->const_bytes && l->method_const + 8 <= l->method_bytes &&
		l->pool_holder + 8 <= l->pool_bytes && l->block_used + 1 <= l->block_bytes &&
		l->symbol_body <= 64 && l->symbol_length + 2 <= 64 && l->array_length + 4 <= 64 &&
		l->array_data + 8 <= 64;
}

static void begin(struct hotspot_layout *layout)
{
	memset(layout, 0xff, sizeof(*layout));
	layout->heaps_at = layout->version_at = layout->call_stub_return_at = 0;
	layout->oop_base_at = layout->oop_shift_at = 0;
	layout->separate = false;
}

/* Reads both tables once. 1; 0: they are not ready, or make no sense; -EAGAIN; -ENOMEM. */
static int read_tables(struct hotspot_tables *tables, struct peek *peek)
{
	int structs, types;

	if (tables->read)
		return 1;
	begin(&tables->layout);
	structs = read_table(tables, peek, tables->structs_at, false);
	types = read_table(tables, peek, tables->types_at, true);
	if (structs < 0 || types < 0)
		return structs < types ? structs : types;
	tables->read = structs && types && tables->layout.version_at;
	return tables->read;
}

int hotspot_layout_read(struct hotspot_tables *tables, struct peek *peek, uint64_t now_ns)
{
	struct hotspot_layout *l = &tables->layout;
	const uint8_t *data;
	int r;

	if (tables->known || tables->problem)
		return tables->known;
	r = read_tables(tables, peek);
	if (r > 0)
		r = peek_at(peek, l->version_at, 4, tables->tries ? now_ns : 0, &data);
	if (r > 0)
		l->version = load_u32(data);
	/* The version is 0 for some time after the library was mapped. */
	if (r == 0 || (r > 0 && !l->version)) {
		if (++tables->tries >= TRIES_MOST)
			tables->problem = "its HotSpot does not say how it is laid out: its stacks "
					  "are native ones";
		return 0;
	}
	if (r < 0)
		return r;
	l->separate = l->version >= HOTSPOT_SEPARATE;
	if (l->version < HOTSPOT_OLDEST || l->version > HOTSPOT_NEWEST ||
		(!l->separate && l->version > HOTSPOT_JOINT) || !is_complete(l) || !is_sane(l)) {
		tables->problem =
			"its version of HotSpot is not among those that are known (JDK 11 to "
			"22, 25 to 27): its stacks are native ones";
		return 0;
	}
	tables->known = true;
	return 1;
}
