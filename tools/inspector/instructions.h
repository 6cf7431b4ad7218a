/* SPDX-License-Identifier: MIT */
/*
 * Disassembly by capstone, which opens no files. Only for sandboxed processes, because the bytes
 * are not trusted.
 */
#ifndef TOOLS_INSPECTOR_INSTRUCTIONS_H
#define TOOLS_INSPECTOR_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Access to the bytes and functions of a file. Addresses are those in the file. */
struct instructions_source {
	/* Returns the bytes from an address on, and their machine (EM_…); NULL: not available. */
	const uint8_t *(*code)(
		void *context, uint64_t svma, size_t *ret_bytes, unsigned *ret_machine);
	/*
	 * Returns the name of the function at an address, and the offset of the address in it;
	 * NULL: no name.
	 */
	const char *(*function_at)(void *context, uint64_t svma, uint64_t *ret_offset);
	void *context;
};

/*
 * Calls @each with every instruction from @start to @end: "call  0x1030 <strlen>". A very long
 * function is cut. -errno, possibly that of @each, which is not called again then; *ret_problem is
 * a sentence about @file, freed by the caller, or NULL.
 */
int instructions_walk(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, int (*each)(void *context, uint64_t address, const char *text),
	void *context, char **ret_problem);

/*
 * Prints the instructions of instructions_walk(), one per line: " 1139:\tcall 0x1030 <strlen>". The
 * caller frees both texts.
 */
int instructions_print(const struct instructions_source *source, uint64_t start, uint64_t end,
	const char *file, char **ret_text, char **ret_problem);

#endif
