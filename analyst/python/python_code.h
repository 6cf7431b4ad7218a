/* SPDX-License-Identifier: MIT */
/* Texts and line tables of CPython's objects, as copied from a target: not trusted. Pure. */
#ifndef ANALYST_PYTHON_CODE_H
#define ANALYST_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/python/python_layout.h"

enum { PYTHON_TEXT_MOST = 4096 }; /* longer texts are cut */

/*
 * Writes the text of a str object, of which @bytes bytes were read, to @to (PYTHON_TEXT_MOST + 1
 * bytes), as UTF-8. False: it is no str, or not all of it was read.
 */
bool python_text(const struct python_layout *layout, const uint8_t *object, size_t bytes, char *to);

/*
 * Sets *@ret_data to the content of a bytes object, of which @bytes bytes were read. It points into
 * @object. False: not all of it was read, or it is no bytes object.
 */
bool python_bytes(const struct python_layout *layout, const uint8_t *object, size_t bytes,
	const uint8_t **ret_data, size_t *ret_bytes);

/*
 * Returns the line of an instruction, from the line table of its code object; 0: it has no line.
 * @offset: bytes from the first instruction; negative: the code has not begun.
 */
uint32_t python_line(
	uint16_t version, const uint8_t *table, size_t bytes, int32_t first_line, int64_t offset);

#endif
