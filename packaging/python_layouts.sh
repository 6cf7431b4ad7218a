#!/bin/sh
# SPDX-License-Identifier: MIT
# python_layouts.sh DIRECTORY...: prints the table of analyst/python/python_layouts.c: the offsets
# of CPython's structures, from the headers of each version. The directories, such as
# /usr/include/python3.11, with internal/, are those of 3.8 to 3.12 in this order. From 3.13 on,
# _PyRuntime itself describes the structures.
set -eu
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat > "$work/row.c" <<'C'
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include <internal/pycore_pystate.h>
#if PY_MINOR_VERSION >= 9
#include <internal/pycore_runtime.h>
#include <internal/pycore_interp.h>
#endif
#if PY_MINOR_VERSION >= 11
#include <internal/pycore_frame.h>
#include <internal/pycore_code.h>
#endif
#define ROW(field, type, member) printf(#field " %zu\n", offsetof(type, member))
int main(void)
{
	ROW(interpreters, _PyRuntimeState, interpreters.head);
	ROW(interpreter_next, PyInterpreterState, next);
#if PY_MINOR_VERSION >= 11
	ROW(interpreter_threads, PyInterpreterState, threads.head);
#else
	ROW(interpreter_threads, PyInterpreterState, tstate_head);
#endif
	ROW(thread_next, PyThreadState, next);
	ROW(thread_self, PyThreadState, thread_id);
#if PY_MINOR_VERSION >= 11
	ROW(thread_tid, PyThreadState, native_thread_id);
	ROW(thread_chunk, PyThreadState, datastack_chunk);
	ROW(thread_top, PyThreadState, datastack_top);
	ROW(chunk_data, _PyStackChunk, data);
	ROW(chunk_previous, _PyStackChunk, previous);
	ROW(chunk_used, _PyStackChunk, top);
#endif
#if PY_MINOR_VERSION >= 10 && PY_MINOR_VERSION <= 12
	ROW(thread_cframe, PyThreadState, cframe);
#endif
#if PY_MINOR_VERSION == 10
	ROW(cframe_previous, CFrame, previous);
#elif PY_MINOR_VERSION >= 11
	ROW(cframe_previous, _PyCFrame, previous);
	ROW(cframe_frame, _PyCFrame, current_frame);
#endif
#if PY_MINOR_VERSION <= 10
	ROW(thread_frame, PyThreadState, frame);
	ROW(frame_previous, PyFrameObject, f_back);
	ROW(frame_code, PyFrameObject, f_code);
	ROW(frame_instruction, PyFrameObject, f_lasti);
#else
	ROW(frame_previous, _PyInterpreterFrame, previous);
	ROW(frame_code, _PyInterpreterFrame, f_code);
	ROW(frame_instruction, _PyInterpreterFrame, prev_instr);
	ROW(frame_owner, _PyInterpreterFrame, owner);
#endif
#if PY_MINOR_VERSION == 11
	ROW(frame_is_entry, _PyInterpreterFrame, is_entry);
#endif
	ROW(code_file, PyCodeObject, co_filename);
#if PY_MINOR_VERSION >= 11
	ROW(code_name, PyCodeObject, co_qualname);
	ROW(code_start, PyCodeObject, co_code_adaptive);
#else
	ROW(code_name, PyCodeObject, co_name);
	ROW(code_start, PyCodeObject, co_code);
#endif
#if PY_MINOR_VERSION >= 10
	ROW(code_lines, PyCodeObject, co_linetable);
#else
	ROW(code_lines, PyCodeObject, co_lnotab);
#endif
	ROW(code_first_line, PyCodeObject, co_firstlineno);
	printf("text_ascii %zu\n", sizeof(PyASCIIObject));
	printf("text_wide %zu\n", sizeof(PyCompactUnicodeObject));
	ROW(text_length, PyASCIIObject, length);
	ROW(text_state, PyASCIIObject, state);
	ROW(bytes_length, PyVarObject, ob_size);
	ROW(bytes_data, PyBytesObject, ob_sval);
#if PY_MINOR_VERSION >= 12
	printf("gil %zu\n", offsetof(_PyRuntimeState, _main_interpreter) +
		offsetof(PyInterpreterState, _gil));
#else
	ROW(gil, _PyRuntimeState, ceval.gil);
#endif
	printf("gil_bytes %zu\n", sizeof(struct _gil_runtime_state));
	ROW(gil_holder, struct _gil_runtime_state, last_holder);
	ROW(gil_locked, struct _gil_runtime_state, locked);
	return 0;
}
C
cat <<'C'
/* SPDX-License-Identifier: MIT */
/* Made by packaging/python_layouts.sh from the headers of each version, for 64-bit machines. */
#include "analyst/python/python_layout.h"

const struct python_field python_fields[] = {
C
# Numbers the versions from 1, then makes a line of each field. A version without the field has 0.
n=0
for directory in "$@"; do
	n=$((n + 1))
	cc -I"$directory" -I"$directory/internal" -o "$work/row" "$work/row.c"
	"$work/row" > "$work/one"
	sed "s/^/$n /" "$work/one" >> "$work/all"
done
LC_ALL=C sort -k 2,2 -k 1,1n "$work/all" | awk -v n="$n" '
	function put(  i, row) {
		for (i = 1; i <= n; i++)
			row = row (i > 1 ? ", " : "") value[i] + 0
		if (field != "")
			printf "\t{PYTHON_IN(%s), {%s}},\n", field, row
	}
	$2 != field { put(); split("", value); field = $2 }
	{ value[$1] = $3 }
	END { put() }'
cat <<'C'
};

const size_t python_fields_n = sizeof(python_fields) / sizeof(*python_fields);
C
