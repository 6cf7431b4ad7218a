/* SPDX-License-Identifier: MIT */
/* HotSpot's layout, from its library's gHotSpotVMStructs and gHotSpotVMTypes (vmStructs.hpp). */
#ifndef ANALYST_HOTSPOT_LAYOUT_H
#define ANALYST_HOTSPOT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct module;
struct peek;

/*
 * Known JDKs. Up to HOTSPOT_JOINT a blob contains its debug information; from HOTSPOT_SEPARATE on
 * the debug information is elsewhere.
 */
enum { HOTSPOT_OLDEST = 11, HOTSPOT_JOINT = 22, HOTSPOT_SEPARATE = 25, HOTSPOT_NEWEST = 27 };

/* The offset of a field that the version does not have. */
#define HOTSPOT_NONE UINT32_MAX

/* Addresses of static fields, offsets of others, sizes of types. */
struct hotspot_layout {
	uint32_t version; /* of the JDK */
	bool separate;    /* HOTSPOT_SEPARATE or later */
	uint64_t heaps_at, version_at, call_stub_return_at;
	uint64_t oop_base_at, oop_shift_at; /* 0: the JDK does not export them */
	uint32_t array_length, array_data;
	uint32_t heap_memory, heap_segments, heap_log2;
	uint32_t space_low, space_high, space_end;
	uint32_t block_used, block_bytes;
	uint32_t blob_name, blob_size, blob_frame_complete, blob_frame_size, blob_bytes;
	uint32_t code_method, code_original_pc, code_pcs, code_id, code_bytes;
	/* fields up to HOTSPOT_JOINT */
	uint32_t blob_code_begin, blob_code_end;
	uint32_t code_scopes, code_deopt, code_deopt_mh, code_metadata, code_dependencies,
		code_verified;
	/* fields from HOTSPOT_SEPARATE on */
	uint32_t blob_code_offset, blob_data_offset, blob_relocations, blob_mutable,
		blob_mutable_bytes;
	uint32_t code_scopes_offset, code_deopt_offset, code_deopt_mh_offset, code_verified_offset,
		code_immutable, code_immutable_bytes;
	uint32_t method_const, method_bytes;
	uint32_t const_pool, const_size, const_flags, const_code_size, const_name, const_bytes;
	uint32_t pool_holder, pool_source, pool_bytes;
	uint32_t klass_name, klass_source;
	uint32_t symbol_length, symbol_body;
};

/* The caller sets @module, @bias and the two addresses, and the rest to 0. */
struct hotspot_tables {
	const struct module *module; /* libjvm.so */
	uint64_t bias;
	uint64_t structs_at, types_at; /* addresses of the pointers to the tables */
	struct hotspot_layout layout;
	unsigned tries;
	bool read;           /* the tables were read, but maybe not yet the version */
	bool known;          /* the layout is complete */
	const char *problem; /* why the layout stays unknown; NULL: it may become known */
};

/*
 * Reads tables->layout. 1: the layout is known; 0: the library is not ready yet, or the layout
 * stays unknown (tables->problem); -EAGAIN; -ENOMEM.
 */
int hotspot_layout_read(struct hotspot_tables *tables, struct peek *peek, uint64_t now_ns);

#endif
