/* SPDX-License-Identifier: MIT */
/*
 * Address ranges of a DIE, from .debug_ranges (DWARF 3 and 4, 2.17.3) or .debug_rnglists (DWARF 5,
 * 7.25). libdwarf does not read these sections, as it allocates memory for each entry. The libdwarf
 * of Debian 12 also frees memory twice if .debug_rnglists is damaged.
 */
#ifndef SYMBOLIZER_RANGELIST_H
#define SYMBOLIZER_RANGELIST_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"

struct rangelist_unit {
	struct slice lists;                  /* .debug_ranges or .debug_rnglists */
	struct slice addresses;              /* .debug_addr */
	uint64_t address_base;               /* DW_AT_addr_base: the unit's part of .debug_addr */
	uint64_t lists_base;                 /* DW_AT_rnglists_base: the unit's table of offsets */
	uint64_t low_pc;                     /* base of ranges until a list sets another one */
	uint8_t address_bytes, offset_bytes; /* 4 or 8 */
	bool version5;
};

struct rangelist {
	const struct rangelist_unit *unit;
	struct reader left; /* the rest of the section, not read yet */
	uint64_t base;
};

/* The address at @index in the unit's part of .debug_addr. False: not there. */
bool rangelist_address(const struct rangelist_unit *unit, uint64_t index, uint64_t *ret_address);

struct rangelist rangelist_at(const struct rangelist_unit *unit, uint64_t offset);
/* The list by its index (DW_FORM_rnglistx); false: not in the table, or truncated. */
bool rangelist_indexed(
	const struct rangelist_unit *unit, uint64_t index, struct rangelist *ret_list);
/* The next range, possibly empty; false: the list ends, or is damaged. */
bool rangelist_next(struct rangelist *list, uint64_t *ret_low, uint64_t *ret_high);

#endif
