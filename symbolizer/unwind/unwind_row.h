/* SPDX-License-Identifier: MIT */
/*
 * A row of the unwind table (DWARF 5, 6.4.1): how the registers' values in a frame give their
 * values in the caller's frame.
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
	UNWIND_AT,       /* the caller's value is saved at CFA + value */
	UNWIND_IS,       /* the caller's value is CFA + value */
	UNWIND_REGISTER, /* the caller's value is in the register of number value */
	/* the caller's value is saved at the address that the expression computes */
	UNWIND_AT_COMPUTED,
	UNWIND_COMPUTED, /* the expression computes the caller's value */
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
/*
 * Makes the row of the code that an x86-64 signal handler returns to: struct ucontext is at the
 * stack pointer, with registers 0 to 16 from byte 40 on, in the order of the enum in sys/ucontext.h
 * (REG_R8 first).
 */
void unwind_row_signal(struct unwind_row *ret_row);

#endif
