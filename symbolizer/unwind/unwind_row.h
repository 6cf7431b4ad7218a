/* SPDX-License-Identifier: MIT */
/*
 * A row of the unwind table (DWARF 5, 6.4.1): how to derive the caller's registers from a frame's,
 * at one address. It is made by running the instructions of the address's entry. Pure.
 */
#ifndef SYMBOLIZER_UNWIND_ROW_H
#define SYMBOLIZER_UNWIND_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_entry;

#define UNWIND_REGISTERS 40

enum unwind_how {
	UNWIND_SAME,
	UNWIND_UNDEFINED,
	UNWIND_AT,          /* saved at CFA + value */
	UNWIND_IS,          /* is CFA + value */
	UNWIND_REGISTER,    /* is in register value */
	UNWIND_AT_COMPUTED, /* saved at the address computed by the expression */
	UNWIND_COMPUTED,    /* computed by the expression */
};

struct unwind_rule {
	uint8_t reg;
	uint8_t how;
	uint32_t bytes; /* of the expression */
	union {
		int64_t value;
		const uint8_t *expression;
	};
};

/* @cfa.how is UNWIND_IS (the CFA is register @cfa.reg + @cfa.value) or UNWIND_COMPUTED. */
struct unwind_row {
	struct unwind_rule cfa;
	struct unwind_rule rule[UNWIND_REGISTERS]; /* by register */
	uint8_t return_column;
	bool signal;
};

/* Makes the row for an address. -ENOEXEC: invalid or unknown instructions. */
int unwind_row_make(const struct unwind_entry *entry, uint64_t svma, struct unwind_row *ret_row);

#endif
