/* SPDX-License-Identifier: MIT */
/* Made by packaging/python_layouts.sh from the headers of each version, for 64-bit machines. */
#include "analyst/python/python_layout.h"

const struct python_field python_fields[] = {
	{PYTHON_IN(bytes_data), {32, 32, 32, 32, 32}},
	{PYTHON_IN(bytes_length), {16, 16, 16, 16, 16}},
	{PYTHON_IN(cframe_frame), {0, 0, 0, 8, 0}},
	{PYTHON_IN(cframe_previous), {0, 0, 8, 16, 8}},
	{PYTHON_IN(chunk_data), {0, 0, 0, 24, 24}},
	{PYTHON_IN(chunk_previous), {0, 0, 0, 0, 0}},
	{PYTHON_IN(chunk_used), {0, 0, 0, 16, 16}},
	{PYTHON_IN(code_file), {104, 104, 104, 112, 112}},
	{PYTHON_IN(code_first_line), {40, 40, 40, 72, 68}},
	{PYTHON_IN(code_lines), {120, 120, 120, 136, 136}},
	{PYTHON_IN(code_name), {112, 112, 112, 128, 128}},
	{PYTHON_IN(code_start), {48, 48, 48, 184, 192}},
	{PYTHON_IN(frame_code), {32, 32, 32, 32, 0}},
	{PYTHON_IN(frame_instruction), {104, 104, 96, 56, 56}},
	{PYTHON_IN(frame_is_entry), {0, 0, 0, 68, 0}},
	{PYTHON_IN(frame_owner), {0, 0, 0, 69, 70}},
	{PYTHON_IN(frame_previous), {24, 24, 24, 48, 8}},
	{PYTHON_IN(gil), {1152, 352, 352, 360, 77432}},
	{PYTHON_IN(gil_bytes), {208, 208, 208, 208, 208}},
	{PYTHON_IN(gil_holder), {8, 8, 8, 8, 8}},
	{PYTHON_IN(gil_locked), {16, 16, 16, 16, 16}},
	{PYTHON_IN(interpreter_next), {0, 0, 0, 0, 0}},
	{PYTHON_IN(interpreter_threads), {8, 8, 8, 16, 72}},
	{PYTHON_IN(interpreters), {32, 32, 32, 40, 40}},
	{PYTHON_IN(text_ascii), {48, 48, 48, 48, 40}},
	{PYTHON_IN(text_length), {16, 16, 16, 16, 16}},
	{PYTHON_IN(text_state), {32, 32, 32, 32, 32}},
	{PYTHON_IN(text_wide), {72, 72, 72, 72, 56}},
	{PYTHON_IN(thread_cframe), {0, 0, 48, 56, 56}},
	{PYTHON_IN(thread_chunk), {0, 0, 0, 296, 232}},
	{PYTHON_IN(thread_frame), {24, 24, 24, 0, 0}},
	{PYTHON_IN(thread_next), {8, 8, 8, 8, 8}},
	{PYTHON_IN(thread_self), {176, 176, 176, 152, 136}},
	{PYTHON_IN(thread_tid), {0, 0, 0, 160, 144}},
	{PYTHON_IN(thread_top), {0, 0, 0, 304, 240}},
};

const size_t python_fields_n = sizeof(python_fields) / sizeof(*python_fields);
