/* SPDX-License-Identifier: MIT */
/* Offsets in the data structures of one version of CPython. */
#ifndef ANALYST_PYTHON_LAYOUT_H
#define ANALYST_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/runtime_table.h"

/* Versions as in PY_VERSION_HEX >> 16: 0x030b is 3.11. */
enum {
	PYTHON_3_8 = 0x0308,
	PYTHON_3_9 = 0x0309,
	PYTHON_3_10 = 0x030a,
	PYTHON_3_11 = 0x030b,
	PYTHON_3_12 = 0x030c,
	PYTHON_3_13 = 0x030d,
	PYTHON_3_14 = 0x030e,
	/* number of versions, from 3.8 on, whose offsets are in python_fields[] */
	PYTHON_TABLED = 5,
};

/* Offsets in bytes. 0: the field is at the beginning, or the version does not have it. */
struct python_layout {
	uint16_t version;
	uint32_t interpreters; /* offset in _PyRuntime */
	uint32_t interpreter_next, interpreter_threads;
	uint32_t thread_next, thread_self, thread_tid, thread_chunk, thread_top;
	uint32_t thread_cframe, thread_frame;
	uint32_t chunk_data, chunk_previous, chunk_used;
	uint32_t cframe_previous, cframe_frame;
	uint32_t frame_previous, frame_code, frame_instruction, frame_owner, frame_is_entry;
	uint32_t code_file, code_name, code_lines, code_first_line, code_start;
	uint32_t text_ascii, text_wide, text_length, text_state;
	uint32_t bytes_length, bytes_data;
	uint32_t gil, gil_bytes, gil_holder, gil_locked;
	uint32_t tag; /* bits to clear in a pointer to code */
};

#define PYTHON_IN(field) offsetof(struct python_layout, field)

/* A field, and its offset in each version from 3.8 on. Made by packaging/python_layouts.sh. */
struct python_field {
	uint16_t at; /* PYTHON_IN() */
	uint32_t offset[PYTHON_TABLED];
};
extern const struct python_field python_fields[];
extern const size_t python_fields_n;

/*
 * Sets the layout of @version. False: @version is unknown, or is one for which
 * python_layout_describe() reads the layout from the target.
 */
bool python_layout_find(uint16_t version, struct python_layout *ret_layout);

/*
 * Sets the layout from the target's file. @offsets: _Py_DebugOffsets, which begins _PyRuntime from
 * 3.13 on. 0; -EPROTO: the values make no sense; -ENOTSUP: unknown version or build.
 */
int python_layout_describe(
	const uint8_t *offsets, size_t bytes, uint16_t version, struct python_layout *ret_layout);

/* Makes the table by which the supervisor reads frames. @runtime: the address of _PyRuntime. */
void python_layout_table(
	const struct python_layout *layout, uint64_t runtime, struct runtime_table *ret_table);

#endif
