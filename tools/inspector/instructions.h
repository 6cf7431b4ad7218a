/* SPDX-License-Identifier: MIT */
/* Disassembly by capstone, which opens no files. The bytes are not trusted: needs a sandbox. */
#ifndef TOOLS_INSPECTOR_INSTRUCTIONS_H
#define TOOLS_INSPECTOR_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Access to a file's bytes and functions. Addresses are those in the file. */
struct instructions_source {
	/* Returns the bytes from @svma on, and their machine (EM_…); NULL: not available. */
	const uint8_t *(*code)(
		void *context, uint64_t svma, size_t *ret_bytes, unsigned *ret_machine);
	/* Returns the function at @svma, and the offset of @svma in it; NULL: no name. */
	const char *(*function_at)(void *context, uint64_t svma, uint64_t *ret_offset);
	void *context;
};

/*
 * Calls @each with every instruction from @start to @end: "call  0x1030 <strlen>". A very long
 * function is cut. 0 or -errno; an error of @each ends the walk. *@ret_problem: a sentence about
 * @file, freed by the caller, or NULL.
 */
int instructions_walk(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, int (*each)(void *context, uint64_t address, const char *text),
	void *context, char **ret_problem);

/*
 * Like instructions_walk(), but makes lines " 1139:\tcall 0x1030 <strlen>". Caller frees both
 * texts.
 */
int instructions_print(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, char **ret_text, char **ret_problem);

#endif
