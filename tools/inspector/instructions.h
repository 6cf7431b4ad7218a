/* SPDX-License-Identifier: MIT */
/* Disassembly by capstone, which opens no files. The bytes are not trusted: needs a sandbox. */
#ifndef TOOLS_INSPECTOR_INSTRUCTIONS_H
#define TOOLS_INSPECTOR_INSTRUCTIONS_H

#include <stdint.h>

#include "symbolizer/symbolizer.h"

/*
 * Calls @each with every instruction from @start to the svma @end: "call  0x1030 <strlen>". A very
 * long function is cut. @start->module NULL: the instructions cannot be read. 0 or -errno; an error
 * of @each ends the walk. *@ret_problem: a sentence about @file, freed by the caller, or NULL.
 */
int instructions_walk(const struct code_location *start, uint64_t end, const char *file,
	int (*each)(void *context, uint64_t svma, const char *text), void *context,
	char **ret_problem);

/*
 * Like instructions_walk(), but returns the instructions as text, each in a line
 * "ADDRESS:\tINSTRUCTION". The caller frees *@ret_text and *@ret_problem.
 */
int instructions_print(const struct code_location *start, uint64_t end, const char *file,
	char **ret_text, char **ret_problem);

#endif
