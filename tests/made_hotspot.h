/* SPDX-License-Identifier: MIT */
/*
 * A HotSpot made by the unit tests and the fuzzer: its memory is an array, which is also its
 * library.
 *
 * One code heap has an interpreter, a stub, a stub with a frame, and a compiled method
 * p.Outer.outer, in which p.Inner.inner is inlined after 32 bytes of code.
 */
#ifndef TESTS_MADE_HOTSPOT_H
#define TESTS_MADE_HOTSPOT_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "profile/profile.h"
#include "proto/chunk_layout.h"
#include "proto/record.h"
#include "proto/request.h"
#include "symbolizer/unwind/unwind.h"

/* Two headers have a struct mapping. */
#define mapping symbolizer_mapping
#include "symbolizer/module.h"
#undef mapping

enum {
	MADE_BASE = 0x100000,
	MADE_BYTES = 0x10000,
	/* Parts of the memory, in ascending order. */
	MADE_TABLES = 0x100,
	MADE_STRUCTS = 0x200,
	MADE_TYPES = 0xd00,
	MADE_VALUES = 0xf80,
	MADE_NAMES = 0x1000,
	MADE_HEAPS = 0x2000,
	MADE_DEBUG = 0x2800,
	MADE_SEGMENTS = 0x3000,
	MADE_METHODS = 0x4000,
	MADE_CODE = 0x8000, /* the code heap, in segments of 128 bytes */
	MADE_INTERPRETER = MADE_CODE,
	MADE_STUB = MADE_CODE + 0x1000,
	MADE_FRAME = MADE_CODE + 0x1200,
	MADE_COMPILED = MADE_CODE + 0x1400,
	MADE_CODE_END = MADE_CODE + 0x2000,
	MADE_HEADER = 16,     /* of a block */
	MADE_CODE_AT = 0x100, /* of the code in a blob */
	MADE_STACK = 0x7000000,
	MADE_STACK_WORDS = 64,
	/* From this word on, the stack's words are the frames in the heap (chunks). */
	MADE_CHUNKS = 32,
	MADE_REQUESTS = 4096,
};

/* A field of a structure. As in a real HotSpot, no two have equal offsets. */
struct made_field {
	const char *type, *field;
	uint32_t offset; /* of a static field: in the memory */
	bool is_static;
	uint32_t until, from; /* last and first version with the field; 0: all */
};

static const struct made_field made_fields[] = {
	{"CodeCache", "_heaps", MADE_VALUES, true, 0, 0},
	{"Abstract_VM_Version", "_vm_major_version", MADE_VALUES + 8, true, 0, 0},
	{"StubRoutines", "_call_stub_return_address", MADE_VALUES + 16, true, 0, 0},
	{"CompressedOops", "_base", MADE_VALUES + 24, true, 0, 25},
	{"CompressedOops", "_shift", MADE_VALUES + 32, true, 0, 25},
	{"CompressedOops", "_narrow_oop._base", MADE_VALUES + 24, true, 22, 0},
	{"CompressedOops", "_narrow_oop._shift", MADE_VALUES + 32, true, 22, 0},
	{"GrowableArrayBase", "_len", 0, false, 0, 0},
	{"GrowableArray<int>", "_data", 8, false, 0, 0},
	{"CodeHeap", "_memory", 8, false, 0, 0},
	{"CodeHeap", "_segmap", 128, false, 0, 0},
	{"CodeHeap", "_log2_segment_size", 256, false, 0, 0},
	{"VirtualSpace", "_low", 16, false, 0, 0},
	{"VirtualSpace", "_high", 24, false, 0, 0},
	{"VirtualSpace", "_high_boundary", 8, false, 0, 0},
	{"HeapBlock::Header", "_used", 8, false, 0, 0},
	{"CodeBlob", "_name", 48, false, 0, 0},
	{"CodeBlob", "_size", 12, false, 0, 0},
	{"CodeBlob", "_frame_complete_offset", 20, false, 0, 0},
	{"CodeBlob", "_frame_size", 28, false, 0, 0},
	{"CodeBlob", "_code_begin", 56, false, 22, 0},
	{"CodeBlob", "_code_end", 64, false, 22, 0},
	{"CompiledMethod", "_method", 80, false, 22, 0},
	{"CompiledMethod", "_scopes_data_begin", 88, false, 22, 0},
	{"CompiledMethod", "_deopt_handler_begin", 96, false, 22, 0},
	{"CompiledMethod", "_deopt_mh_handler_begin", 104, false, 22, 0},
	{"nmethod", "_metadata_offset", 116, false, 22, 0},
	{"nmethod", "_dependencies_offset", 124, false, 22, 0},
	{"nmethod", "_verified_entry_point", 128, false, 22, 0},
	{"nmethod", "_scopes_pcs_offset", 120, false, 0, 0},
	{"nmethod", "_orig_pc_offset", 112, false, 0, 0},
	{"nmethod", "_compile_id", 136, false, 0, 0},
	{"CodeBlob", "_mutable_data", 56, false, 0, 25},
	{"CodeBlob", "_code_offset", 32, false, 0, 25},
	{"CodeBlob", "_data_offset", 36, false, 0, 25},
	{"CodeBlob", "_relocation_size", 40, false, 0, 25},
	{"CodeBlob", "_mutable_data_size", 44, false, 0, 25},
	{"nmethod", "_method", 80, false, 0, 25},
	{"nmethod", "_immutable_data", 88, false, 0, 25},
	{"nmethod", "_immutable_data_size", 96, false, 0, 25},
	{"nmethod", "_scopes_data_offset", 100, false, 0, 25},
	{"nmethod", "_deopt_handler_offset", 104, false, 25, 25},
	{"nmethod", "_deopt_mh_handler_offset", 108, false, 25, 25},
	{"nmethod", "_deopt_handler_entry_offset", 104, false, 0, 26},
	{"nmethod", "_verified_entry_offset", 118, false, 0, 25},
	{"Method", "_constMethod", 8, false, 0, 0},
	{"ConstMethod", "_constants", 8, false, 0, 0},
	{"ConstMethod", "_constMethod_size", 24, false, 0, 0},
	{"ConstMethod", "_flags", 28, false, 0, 0},
	{"ConstMethod", "_code_size", 34, false, 0, 0},
	{"ConstMethod", "_name_index", 36, false, 0, 0},
	{"ConstantPool", "_pool_holder", 16, false, 0, 0},
	{"ConstantPool", "_source_file_name_index", 40, false, 0, 0},
	{"Klass", "_name", 24, false, 0, 0},
	{"Symbol", "_length", 4, false, 0, 0},
	{"Symbol", "_body", 6, false, 0, 0},
};

static const struct made_field made_types[] = {
	{"HeapBlock", NULL, MADE_HEADER, false, 0, 0},
	{"CodeBlob", NULL, 76, false, 0, 0},
	{"nmethod", NULL, 160, false, 0, 0},
	{"Method", NULL, 48, false, 0, 0},
	{"ConstMethod", NULL, 48, false, 0, 0},
	{"ConstantPool", NULL, 64, false, 0, 0},
};

/* Addresses of an offset in the array, of the compiled code, of a word of the stack. */
#define AT(place)   ((uint64_t)MADE_BASE + (place))
#define CODE        (AT(MADE_COMPILED) + MADE_HEADER + MADE_CODE_AT)
#define STACK(word) ((uint64_t)MADE_STACK + 8 * (word))

struct made {
	uint8_t memory[MADE_BYTES];
	uint64_t stack[MADE_STACK_WORDS];
	uint64_t reg[17];
	uint32_t version; /* of the JDK */
	size_t names;     /* bytes used for names */
	Elf64_Phdr segment;
	struct module module;
	struct locations list;
	struct peek peek;
	struct hotspot hotspot;
	uint8_t request[MADE_REQUESTS * REQUEST_BYTES];
	size_t requests, served;
	uint64_t now_ns;  /* time of the answers */
	uint64_t told[2]; /* values of the last REQUEST_CHUNKS_BASE and REQUEST_CHUNKS */
};

static inline void made_put(struct made *m, uint32_t at, uint64_t value, size_t bytes)
{
	memcpy(m->memory + at, &value, bytes);
}

static inline uint64_t made_name(struct made *m, const char *text)
{
	uint32_t at = MADE_NAMES + (uint32_t)m->names;

	memcpy(m->memory + at, text, strlen(text) + 1);
	m->names += strlen(text) + 1;
	return MADE_BASE + at;
}

static inline void made_tables(struct made *m)
{
	uint32_t at = MADE_STRUCTS;

	for (size_t i = 0; i < sizeof(made_fields) / sizeof(*made_fields); i++) {
		const struct made_field *f = &made_fields[i];

		if (m->version < f->from || (f->until && m->version > f->until))
			continue;
		made_put(m, at, made_name(m, f->type), 8);
		made_put(m, at + 8, made_name(m, f->field), 8);
		made_put(m, at + 24, f->is_static, 4);
		made_put(m, at + 32, f->is_static ? 0 : f->offset, 8);
		made_put(m, at + 40, f->is_static ? MADE_BASE + f->offset : 0, 8);
		at += 48;
	}
	at = MADE_TYPES;
	for (size_t i = 0; i < sizeof(made_types) / sizeof(*made_types); i++, at += 40) {
		made_put(m, at, made_name(m, made_types[i].type), 8);
		made_put(m, at + 32, made_types[i].offset, 8);
	}
	made_put(m, MADE_TABLES, MADE_BASE + MADE_STRUCTS, 8);
	made_put(m, MADE_TABLES + 8, MADE_BASE + MADE_TYPES, 8);
}

/* Makes a block of the heap with a blob of @bytes bytes; returns the blob's offset. */
static inline uint32_t made_blob(
	struct made *m, uint32_t block, uint32_t bytes, const char *name, uint32_t frame_words)
{
	uint32_t blob = block + MADE_HEADER, first = (block - MADE_CODE) >> 7;
	uint32_t segments = (bytes + MADE_HEADER + 127) >> 7;

	for (uint32_t i = 0; i < segments; i++)
		m->memory[MADE_SEGMENTS + first + i] = (uint8_t)(i < 200 ? i : i - 199);
	made_put(m, block + 8, 1, 1);
	made_put(m, blob + 48, made_name(m, name), 8);
	made_put(m, blob + 12, bytes, 4);
	made_put(m, blob + 20, UINT32_MAX, m->version < 25 ? 4 : 2);
	made_put(m, blob + 28, frame_words, 4);
	if (m->version < 25) {
		made_put(m, blob + 56, MADE_BASE + blob + MADE_CODE_AT, 8);
		made_put(m, blob + 64, MADE_BASE + blob + bytes, 8);
	} else {
		made_put(m, blob + 32, MADE_CODE_AT, 4);
		made_put(m, blob + 36, bytes, 4);
	}
	return blob;
}

static inline uint64_t made_symbol(struct made *m, uint32_t at, const char *text)
{
	made_put(m, at + 4, strlen(text), 2);
	memcpy(m->memory + at + 6, text, strlen(text));
	return MADE_BASE + at;
}

/* Makes a method of the class; returns its address. Bytecode 0 begins line 10, 4 line 13. */
static inline uint64_t made_method(
	struct made *m, uint32_t at, const char *class, const char *name, const char *file)
{
	const uint8_t lines[] = {0 << 3 | 5, 0 << 3 | 5, 4 << 3 | 3, 0};
	const uint32_t method = at, constant = at + 0x80, pool = at + 0x100, class_at = at + 0x180;

	made_put(m, method + 8, MADE_BASE + constant, 8);
	made_put(m, constant + 8, MADE_BASE + pool, 8);
	made_put(m, constant + 24, (48 + 16 + 8) / 8, 4);
	made_put(m, constant + 28, 1, 2);
	made_put(m, constant + 34, 16, 2);
	made_put(m, constant + 36, 3, 2);
	memcpy(m->memory + constant + 48 + 16, lines, sizeof(lines));
	made_put(m, pool + 16, MADE_BASE + class_at, 8);
	made_put(m, pool + 40, 2, 2);
	made_put(m, pool + 64 + 8 * 2, made_symbol(m, at + 0x200, file), 8);
	made_put(m, pool + 64 + 8 * 3, made_symbol(m, at + 0x280, name), 8);
	made_put(m, class_at + 24, made_symbol(m, at + 0x300, class), 8);
	return MADE_BASE + method;
}

enum {
	MADE_OUTER = MADE_METHODS,
	MADE_INNER = MADE_METHODS + 0x400,
	MADE_COMPILED_BYTES = 0x600,
	MADE_COMPILED_DEBUG = 0x500,
};

static const uint8_t made_scopes[] = {0, 0, 1, 1, 1, 2, 7}; /* sender, method, bytecode + 1 */
static const uint8_t made_new_scopes[] = {1, 1, 2, 2, 2, 3, 8};
static const int32_t made_pcs[4][4] = {
	{-1, 0, 0, 0}, {32, 1, 0, 0}, {64, 4, 0, 0}, {1 << 20, 0, 0, 0}};

/* Debug information up to JDK 22, after the code: methods, scopes, addresses. */
static inline void made_joint(struct made *m, uint32_t blob)
{
	uint32_t code = blob + MADE_CODE_AT, debug = blob + MADE_COMPILED_DEBUG;

	made_put(m, blob + 64, MADE_BASE + code + 96, 8);
	made_put(m, blob + 88, MADE_BASE + debug + 16, 8);
	made_put(m, blob + 96, MADE_BASE + code + 90, 8);
	made_put(m, blob + 104, MADE_BASE + code + 92, 8);
	made_put(m, blob + 116, MADE_COMPILED_DEBUG, 4);
	made_put(m, blob + 120, MADE_COMPILED_DEBUG + 32, 4);
	made_put(m, blob + 124, MADE_COMPILED_DEBUG + 32 + sizeof(made_pcs), 4);
	made_put(m, blob + 128, MADE_BASE + code, 8);
	made_put(m, debug, MADE_BASE + MADE_OUTER, 8);
	made_put(m, debug + 8, MADE_BASE + MADE_INNER, 8);
	memcpy(m->memory + debug + 16, made_scopes, sizeof(made_scopes));
	memcpy(m->memory + debug + 32, made_pcs, sizeof(made_pcs));
}

/* From JDK 25 on: methods after 24 bytes of relocations; addresses and scopes elsewhere. */
static inline void made_separate(struct made *m, uint32_t blob)
{
	const uint32_t mutable = MADE_DEBUG, immutable = MADE_DEBUG + 0x80;

	made_put(m, blob + 36, MADE_CODE_AT + 96, 4);
	made_put(m, blob + 40, 24, 4);
	made_put(m, blob + 44, 40, 4);
	made_put(m, blob + 56, MADE_BASE + mutable, 8);
	made_put(m, blob + 88, MADE_BASE + immutable, 8);
	made_put(m, blob + 96, 16 + sizeof(made_pcs) + sizeof(made_new_scopes), 4);
	made_put(m, blob + 100, 16 + sizeof(made_pcs), 4);
	made_put(m, blob + 104, MADE_CODE_AT + 90, 4);
	made_put(m, blob + 108, MADE_CODE_AT + 92, 4);
	made_put(m, blob + 120, 16, 4);
	made_put(m, mutable + 24, MADE_BASE + MADE_OUTER, 8);
	made_put(m, mutable + 32, MADE_BASE + MADE_INNER, 8);
	memcpy(m->memory + immutable + 16, made_pcs, sizeof(made_pcs));
	memcpy(m->memory + immutable + 16 + sizeof(made_pcs), made_new_scopes,
		sizeof(made_new_scopes));
}

/* Makes the compiled method: a frame of 4 words; inner() is inlined after 32 bytes of code. */
static inline void made_compiled(struct made *m)
{
	const uint8_t begin[] = {0x55, 0x48, 0x83, 0xec, 0x10}; /* push %rbp; sub $16,%rsp */
	const uint8_t end[] = {0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3};
	uint32_t blob = made_blob(m, MADE_COMPILED, MADE_COMPILED_BYTES, "nmethod", 4);
	uint32_t code = blob + MADE_CODE_AT;

	memcpy(m->memory + code, begin, sizeof(begin));
	memcpy(m->memory + code + 80, end, sizeof(end));
	made_put(m, blob + 20, 5, m->version < 25 ? 4 : 2);
	made_put(m, blob + 80, MADE_BASE + MADE_OUTER, 8);
	made_put(m, blob + 112, 8, 4);
	made_put(m, blob + 136, 77, 4);
	if (m->version < 25)
		made_joint(m, blob);
	else
		made_separate(m, blob);
}

static inline void made_heaps(struct made *m)
{
	const uint32_t list = MADE_HEAPS, data = MADE_HEAPS + 0x40, heap = MADE_HEAPS + 0x80;

	made_put(m, MADE_VALUES, MADE_BASE + list, 8);
	made_put(m, MADE_VALUES + 8, m->version, 4);
	made_put(m, MADE_VALUES + 16, MADE_BASE + MADE_STUB + MADE_HEADER + 0xa0, 8);
	made_put(m, list, 1, 4);
	made_put(m, list + 8, MADE_BASE + data, 8);
	made_put(m, data, MADE_BASE + heap, 8);
	made_put(m, heap + 8 + 16, MADE_BASE + MADE_CODE, 8);
	made_put(m, heap + 8 + 8, MADE_BASE + MADE_CODE_END, 8);
	made_put(m, heap + 128 + 16, MADE_BASE + MADE_SEGMENTS, 8);
	made_put(m, heap + 256, 7, 4);
	memset(m->memory + MADE_SEGMENTS, 0xff, 0x200);
}

static inline bool made_request(void *context, const uint8_t *data, size_t bytes)
{
	struct made *m = context;

	if (m->requests * REQUEST_BYTES + bytes > sizeof(m->request))
		return false;
	memcpy(m->request + m->requests * REQUEST_BYTES, data, bytes);
	m->requests += bytes / REQUEST_BYTES;
	return true;
}

static inline void made_serve(struct made *m)
{
	peek_send(&m->peek);
	for (size_t i = 0; i < m->requests; i++) {
		struct request request;
		struct record_memory memory;
		uint64_t at;

		if (request_get(m->request + i * REQUEST_BYTES, &request) < 0)
			abort();
		if (request.type != REQUEST_MEMORY) {
			m->told[request.type == REQUEST_CHUNKS] = request.value;
			continue;
		}
		memory = (struct record_memory){.requested = (uint32_t)(request.value >> 48),
			.address = request.value & (REQUEST_MEMORY_END - 1)};
		at = memory.address - MADE_BASE;
		if (at < MADE_BYTES) {
			memory.bytes = memory.requested;
			if (memory.bytes > MADE_BYTES - at)
				memory.bytes = (uint32_t)(MADE_BYTES - at);
			memory.data = m->memory + at;
		}
		(void)peek_answer(&m->peek, m->now_ns, &memory);
	}
	m->served += m->requests;
	m->requests = 0;
}

static inline struct made *made_new(uint32_t version)
{
	struct made *m = calloc(1, sizeof(*m));

	if (!m || profile_new(&m->list.profile) < 0)
		abort();
	m->version = version;
	made_tables(m);
	made_heaps(m);
	(void)made_method(m, MADE_OUTER, "p/Outer", "outer", "Outer.java");
	(void)made_method(m, MADE_INNER, "p/Inner", "inner", "Inner.java");
	(void)made_blob(m, MADE_INTERPRETER, 0xe00, "Interpreter", 0);
	(void)made_blob(m, MADE_STUB, 0x180, "StubRoutines (1)", 0);
	(void)made_blob(m, MADE_FRAME, 0x180, "new_instance", 3);
	made_compiled(m);
	m->segment = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_vaddr = MADE_BASE,
		.p_filesz = MADE_BYTES,
		.p_memsz = MADE_BYTES};
	m->module = (struct module){.image = {.data = m->memory,
					    .bytes = MADE_BYTES,
					    .elf64 = true,
					    .phdr = &m->segment,
					    .n_phdr = 1},
		.headers_ok = true};
	m->peek = (struct peek){.pid = 1, .request = made_request, .context = m};
	m->hotspot = (struct hotspot){.tables = {.module = &m->module,
					      .structs_at = MADE_BASE + MADE_TABLES,
					      .types_at = MADE_BASE + MADE_TABLES + 8},
		.list = &m->list,
		.peek = &m->peek,
		.mapping = profile_add_mapping(
			m->list.profile, &(struct mapping){.file = "[java]", .build_id = ""})};
	m->now_ns = m->hotspot.now_ns = 1000000000;
	return m;
}

static inline void made_free(struct made *m)
{
	hotspot_blobs_forget(&m->hotspot);
	hotspot_methods_release(&m->hotspot);
	free(m->hotspot.blob);
	free(m->hotspot.inner);
	peek_release(&m->peek);
	profile_free(m->list.profile);
	free(m);
}

/* Returns the functions of a location, "name file:line; …", innermost first. */
static inline const char *made_text(const struct made *m, uint32_t tag)
{
	static char text[512];
	struct location location;
	size_t n = 0;

	if (!tag)
		return "";
	location = profile_location(m->list.profile, tag - 1);
	text[0] = '\0';
	for (size_t i = 0; i < location.lines; i++) {
		struct function f = profile_function(m->list.profile, location.line[i].function);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s:%u", i ? "; " : "",
			f.name, f.file, location.line[i].line);
	}
	return text;
}

static inline bool made_read(void *reader, uint64_t address, uint64_t *ret_word)
{
	const struct made *m = reader;
	uint64_t at = address >= CHUNKS_BASE ? address - CHUNKS_BASE + 8 * (uint64_t)MADE_CHUNKS
					     : address - MADE_STACK;

	if (at % 8 || at / 8 >= MADE_STACK_WORDS)
		return false;
	*ret_word = m->stack[at / 8];
	return true;
}

/* Finds a frame's caller; answers requests until the unwinder needs no more memory. */
static inline int made_step(
	struct made *m, struct unwind_runtime_frame frame, struct unwind_runtime_caller *ret_caller)
{
	int r = -EAGAIN;

	frame.read = made_read;
	frame.reader = m;
	for (int i = 0; i < 64 && r == -EAGAIN; i++) {
		*ret_caller = (struct unwind_runtime_caller){0};
		m->now_ns++;
		peek_begin(&m->peek);
		r = hotspot_layout_read(&m->hotspot.tables, &m->peek, m->hotspot.now_ns);
		if (r > 0)
			r = hotspot_step_frame(&m->hotspot, &frame, ret_caller);
		if (r == -EAGAIN || m->peek.missed)
			made_serve(m);
	}
	return r;
}

#endif
