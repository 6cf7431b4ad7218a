/* SPDX-License-Identifier: MIT */
/*
 * Measures a line table before libdwarf unpacks it. libdwarf takes a hundred bytes or more for each
 * row, all at once. It also takes memory for each file that a table of DWARF 5 claims to list, even
 * if the table has no bytes for these files.
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

/* Measures the table at @offset of .debug_line. -EINVAL: damaged, or not of version 2 to 5. */
int linescan_table(struct slice section, uint64_t offset, struct linescan *ret_scan);

#endif
