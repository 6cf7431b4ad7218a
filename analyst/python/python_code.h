/* SPDX-License-Identifier: MIT */
/* Texts and line tables of CPython's objects, as copied from a target: not trusted. Pure. */
#ifndef ANALYST_PYTHON_CODE_H
#define ANALYST_PYTHON_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/python/python_layout.h"

enum { PYTHON_TEXT_MOST = 4096 }; /* longer texts are cut */

/* Writes a str as UTF-8 to @to (PYTHON_TEXT_MOST + 1 bytes). False: no str, or @bytes too few. */
bool python_text(const struct python_layout *layout, const uint8_t *object, size_t bytes, char *to);

/* Sets *@ret_data, inside @object, to the content of a bytes object. False: @bytes too few. */
bool python_bytes(const struct python_layout *layout, const uint8_t *object, size_t bytes,
	const uint8_t **ret_data, size_t *ret_bytes);

/*
 * The line of the code at byte @offset. @offset below 0: the code has not begun, and its first line
 * is returned. 0: there is no line.
 */
uint32_t python_line(
	uint16_t version, const uint8_t *table, size_t bytes, int32_t first_line, int64_t offset);

#endif
