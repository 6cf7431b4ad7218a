/* SPDX-License-Identifier: MIT */
/*
 * The size of a line table before libdwarf unpacks it: each of its rows takes a hundred bytes or
 * more at once, and DWARF 5 can claim any number of files that take no bytes.
 */
#ifndef SYMBOLIZER_LINESCAN_H
#define SYMBOLIZER_LINESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/dwarf/rangelist.h"

struct linescan {
	uint64_t rows;
	uint64_t names;   /* bytes of the header, or entries of its tables, whichever is more */
	bool sets_file_0; /* the table sets file number 0 for some row */
};

/* The table at @offset of .debug_line. -EINVAL: damaged, or of a version other than 2 to 5. */
int linescan_table(
	const struct rangelist_bytes *section, uint64_t offset, struct linescan *ret_scan);

#endif
