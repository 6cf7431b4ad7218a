/* SPDX-License-Identifier: MIT */
/* Writes records of proto/inspection.h to streams. */
#ifndef TOOLS_INSPECTOR_INSPECT_PUT_H
#define TOOLS_INSPECTOR_INSPECT_PUT_H

#include <errno.h>
#include <stdio.h>

#include "proto/inspection.h"

/* Writes @record. 0; -EIO: the stream cannot be written, or @record has too much text. */
static inline int inspect_put(FILE *out, enum inspection_kind kind, const void *record)
{
	uint8_t bytes[INSPECTION_BYTES_MOST];
	struct writer w = writer_over(bytes, sizeof(bytes));

	inspection_put(&w, kind, record);
	return !w.bad && fwrite(bytes, 1, (size_t)(w.p - bytes), out) ? 0 : -EIO;
}

#endif
