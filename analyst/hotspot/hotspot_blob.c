/* SPDX-License-Identifier: MIT */
/* Reads a piece of generated code, a blob, with debug information (codeBlob.hpp, nmethod.hpp). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "symbolizer/exported.h"

/* Data with larger sizes are damaged. */
#define BLOB_BYTES_MOST  (UINT64_C(64) << 20)
#define DEBUG_BYTES_MOST (UINT32_C(4) << 20)
#define FRAME_WORDS_MOST 65536

/*
 * Reads a name from the library's file if the file contains @address, else from the target's
 * memory.
 */
static int read_name(struct hotspot *hotspot, uint64_t address, char *to, size_t room)
{
	const struct hotspot_tables *tables = &hotspot->tables;
	const uint8_t *data;
	size_t got, n;
	int r;

	if (exported_read(tables->module, address - tables->bias, to, room - 1)) {
		to[room - 1] = '\0';
		return 1;
	}
	r = peek_some(hotspot->peek, address, room - 1, 0, &data, &got);
	if (r <= 0)
		return r;
	n = strnlen((const char *)data, got);
	memcpy(to, data, n);
	to[n] = '\0';
	return 1;
}

struct range {
	uint64_t address;
	uint32_t bytes;
};

/*
 * Copies a range to @to; if @to is NULL, only requests the whole range. 1: all is there; 0: a part
 * is unreadable; -EAGAIN: a part was requested and has still to come; -ENOMEM.
 */
static int read_range(struct hotspot *hotspot, const struct range *range, uint8_t *to)
{
	const uint8_t *data;
	int r = 1;

	for (uint32_t at = 0; at < range->bytes && (r > 0 || !to); at += PEEK_MOST) {
		size_t bytes = range->bytes - at < PEEK_MOST ? range->bytes - at : PEEK_MOST;
		int one =
			peek_at(hotspot->peek, range->address + at, bytes, hotspot->now_ns, &data);

		r = one < r ? one : r;
		if (to && one > 0)
			memcpy(to + at, data, bytes);
	}
	return r;
}

static int read_debug(
	struct hotspot *hotspot, struct hotspot_blob *blob, const struct range range[2])
{
	int first = read_range(hotspot, &range[0], NULL), r;

	r = read_range(hotspot, &range[1], NULL);
	r = first < r ? first : r;
	if (r <= 0)
		return r;
	blob->debug = malloc((size_t)range[0].bytes + range[1].bytes + 1);
	if (!blob->debug)
		return -ENOMEM;
	blob->debug_bytes = range[0].bytes + range[1].bytes;
	r = read_range(hotspot, &range[0], blob->debug);
	return r > 0 ? read_range(hotspot, &range[1], blob->debug + range[0].bytes) : r;
}

/* JDK 22 and older: the debug information is behind the code, in the blob. */
static int read_joint(struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	uint32_t methods = load_u32(head + l->code_metadata), pcs = load_u32(head + l->code_pcs),
		 end = load_u32(head + l->code_dependencies);
	uint64_t scopes = load_u64(head + l->code_scopes) - blob->start;

	blob->deopt = load_u64(head + l->code_deopt);
	blob->deopt_mh = load_u64(head + l->code_deopt_mh);
	blob->verified = load_u64(head + l->code_verified);
	if (methods > scopes || scopes > pcs || pcs > end || end > blob->end - blob->start ||
		end - methods > DEBUG_BYTES_MOST)
		return 0;
	blob->methods = (struct hotspot_part){0, (uint32_t)scopes - methods};
	blob->scopes = (struct hotspot_part){blob->methods.bytes, pcs - (uint32_t)scopes};
	blob->pcs = (struct hotspot_part){pcs - methods, end - pcs};
	return read_debug(hotspot, blob,
		(const struct range[2]){{blob->start + methods, end - methods}, {0, 0}});
}

/*
 * JDK 25 and newer: the pointers to methods are at the end of the mutable data. The immutable data
 * contain the PcDescs and, behind these, the scopes (hotspot_scopes.h).
 */
static int read_separate(struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	uint32_t relocations = load_u32(head + l->blob_relocations),
		 mutable = load_u32(head + l->blob_mutable_bytes),
		 pcs = load_u32(head + l->code_pcs),
		 scopes = load_u32(head + l->code_scopes_offset),
		 end = load_u32(head + l->code_immutable_bytes);

	blob->deopt = blob->start + load_u32(head + l->code_deopt_offset);
	if (l->code_deopt_mh_offset != HOTSPOT_NONE)
		blob->deopt_mh = blob->start + load_u32(head + l->code_deopt_mh_offset);
	blob->verified = blob->code + load_u16(head + l->code_verified_offset);
	if (relocations > mutable || pcs > scopes || scopes > end ||
		mutable - relocations > DEBUG_BYTES_MOST || end - pcs > DEBUG_BYTES_MOST)
		return 0;
	blob->methods = (struct hotspot_part){0, mutable - relocations};
	blob->pcs = (struct hotspot_part){blob->methods.bytes, scopes - pcs};
	blob->scopes = (struct hotspot_part){blob->pcs.at + blob->pcs.bytes, end - scopes};
	return read_debug(hotspot, blob,
		(const struct range[2]){
			{load_u64(head + l->blob_mutable) + relocations, blob->methods.bytes},
			{load_u64(head + l->code_immutable) + pcs, end - pcs}});
}

static bool is_compiled(const char *name)
{
	return !strcmp(name, "nmethod") || !strcmp(name, "native nmethod");
}

static enum hotspot_kind kind_of(const struct hotspot_blob *blob)
{
	if (is_compiled(blob->name))
		return HOTSPOT_METHOD;
	if (!strcmp(blob->name, "Interpreter"))
		return HOTSPOT_INTERPRETER;
	return blob->frame_bytes ? HOTSPOT_FRAME : HOTSPOT_STUB;
}

struct hotspot_header hotspot_blob_header(
	const struct hotspot_layout *layout, uint64_t start, const uint8_t *head)
{
	const struct hotspot_layout *l = layout;
	struct hotspot_header header = {
		.name = load_u64(head + l->blob_name),
		.bytes = load_u32(head + l->blob_size),
		.frame_words = load_u32(head + l->blob_frame_size),
	};

	if (l->separate) {
		header.code = start + load_u32(head + l->blob_code_offset);
		header.code_end = start + load_u32(head + l->blob_data_offset);
		header.frame_complete = (int16_t)load_u16(head + l->blob_frame_complete);
	} else {
		header.code = load_u64(head + l->blob_code_begin);
		header.code_end = load_u64(head + l->blob_code_end);
		header.frame_complete = (int32_t)load_u32(head + l->blob_frame_complete);
	}
	return header;
}

int hotspot_blob_read(
	struct hotspot *hotspot, struct hotspot_blob *blob, const uint8_t *head, size_t bytes)
{
	const struct hotspot_layout *l = &hotspot->tables.layout;
	const struct hotspot_header header = hotspot_blob_header(l, blob->start, head);
	int r = read_name(hotspot, header.name, blob->name, sizeof(blob->name));

	if (r <= 0)
		return r;
	blob->end = blob->start + header.bytes;
	blob->code = header.code;
	blob->code_end = header.code_end;
	blob->frame_complete = header.frame_complete;
	blob->learned_ns = blob->checked_ns = hotspot->now_ns;
	if (header.bytes > BLOB_BYTES_MOST || blob->code < blob->start ||
		blob->code_end < blob->code || blob->code_end > blob->end)
		return 0;
	/* A size of -1 word says that the code has no frame of fixed size. */
	if ((int32_t)header.frame_words > 0 && header.frame_words <= FRAME_WORDS_MOST)
		blob->frame_bytes = header.frame_words * 8;
	blob->kind = kind_of(blob);
	if (blob->kind != HOTSPOT_METHOD)
		return 1;
	blob->native = strcmp(blob->name, "native nmethod") == 0;
	if (!blob->frame_bytes || bytes < l->code_bytes)
		return 0;
	blob->method = load_u64(head + l->code_method);
	blob->original_pc = load_u32(head + l->code_original_pc);
	blob->id = load_u32(head + l->code_id);
	return l->separate ? read_separate(hotspot, blob, head) : read_joint(hotspot, blob, head);
}
