/* SPDX-License-Identifier: MIT */
/* Machine instructions as text, by capstone, which opens nothing. */
#ifndef TOOLS_INSTRUCTIONS_H
#define TOOLS_INSTRUCTIONS_H

#include <stdint.h>

struct analyst;

/*
 * A line for each instruction from @start to @end, addresses of the file that @location is in:
 *
 *	    1139:	call    0x1030 <strlen>
 *
 * -errno, and *ret_problem is a sentence, or NULL. The caller frees both.
 */
int instructions_print(struct analyst *analyst, uint32_t location, uint64_t start, uint64_t end,
	const char *file, char **ret_text, char **ret_problem);

#endif
