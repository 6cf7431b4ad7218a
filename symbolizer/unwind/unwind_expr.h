/* SPDX-License-Identifier: MIT */
/* Expressions of call frame information (DWARF 5, 2.5 and 6.4.2), with limited stack and steps. */
#ifndef SYMBOLIZER_UNWIND_EXPR_H
#define SYMBOLIZER_UNWIND_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_expr_context {
	const uint64_t *reg; /* UNWIND_REGISTERS elements */
	uint64_t known;      /* a bit for each register whose value is known */
	/* Reads @bytes bytes of the target's memory. -EFAULT: their content is not known. */
	int (*read)(void *context, uint64_t address, unsigned bytes, uint64_t *ret_value);
	void *context;
};

/*
 * Runs an expression, with @first on the stack if @has_first. -ENOEXEC: the expression is invalid,
 * takes too many steps, or needs an unknown register. Other errors are those of read().
 */
int unwind_expr_run(const struct unwind_expr_context *context, const uint8_t *code, size_t bytes,
	bool has_first, uint64_t first, uint64_t *ret_value);

#endif
