/* SPDX-License-Identifier: MIT */
/*
 * Machine instructions as text, by capstone, which opens nothing. To be used by sandboxed processes
 * only: the bytes are foreign.
 */
#ifndef TOOLS_INSTRUCTIONS_H
#define TOOLS_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Who has the bytes of a file, and knows its functions. Addresses are those of the file. */
struct instructions_source {
	/* The bytes from an address on, and for which machine (EM_…); NULL: not to be had. */
	const uint8_t *(*code)(
		void *context, uint64_t svma, size_t *ret_bytes, unsigned *ret_machine);
	/* The function at an address, and how far into it that is; NULL: it has no name. */
	const char *(*function_at)(void *context, uint64_t svma, uint64_t *ret_offset);
	void *context;
};

/*
 * Calls @each with every instruction from @start to @end: "call    0x1030 <strlen>". A function
 * that is very long is cut. -errno, also of @each, which is not called again then; *ret_problem is
 * a sentence about @file then, which the caller frees, or NULL.
 */
int instructions_walk(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, int (*each)(void *context, uint64_t address, const char *text),
	void *context, char **ret_problem);

/* All of them, a line each: "    1139:\tcall    0x1030 <strlen>". The caller frees both. */
int instructions_print(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, char **ret_text, char **ret_problem);

#endif
