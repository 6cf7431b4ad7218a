/* SPDX-License-Identifier: MIT */
/*
 * A piece of the time line in bytes. Numbers are varints as in protocol buffers, times are in
 * microseconds, differences are zigzag-coded.
 *
 *   rows              at least 1, at most TIMELINE_ROWS
 *   first time
 *   time, each row    difference to the previous row
 *   stack, each row   index of the sample
 *   runs of rows with the same state and weight, until all rows are in a run:
 *     (number of rows - 1) * 4 + state
 *     weight in nanoseconds
 *
 * For example two ticks of 4 ms at stacks 0 and 1, 4.1 ms apart, the first at 5 us:
 *
 *   02  05  00 88 40  00 01  04 80 92 f4 01
 */
#ifndef PROFILE_TIMELINE_CODE_H
#define PROFILE_TIMELINE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/timeline.h"

enum { TIMELINE_ROWS = 4096, TIMELINE_ROW_BYTES = 10 + 5 + 2 + 10, TIMELINE_HEAD_BYTES = 20 };

struct timeline_rows {
	size_t n;
	struct instant row[TIMELINE_ROWS];
};

/*
 * @to must have room for TIMELINE_HEAD_BYTES, plus TIMELINE_ROW_BYTES per row. Returns the bytes
 * written.
 */
size_t timeline_encode(const struct timeline_rows *rows, uint8_t *to);

/*
 * Decodes a piece without checking stack indexes. 0; -EBADMSG: the piece is malformed, and
 * @ret_rows is undefined.
 */
int timeline_decode(const uint8_t *data, size_t bytes, struct timeline_rows *ret_rows);

/* Returns the bytes written, at most 10. */
size_t timeline_put_varint(uint8_t *to, uint64_t value);

#endif
