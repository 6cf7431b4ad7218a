/* SPDX-License-Identifier: MIT */
/* What the files of sprofil_all(3) share. Unlike the rest of the library they allocate and lock. */
#ifndef CLIENT_ALL_H
#define CLIENT_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALL_STEP 4u /* bytes of text to a counter */

struct all_symbol {
	uint64_t address, bytes; /* as in the file */
	const char *name;
};

/* An executable segment of an object that is loaded, or was. */
struct all_segment {
	uint64_t start, end; /* multiples of ALL_STEP; 0 to 0: what belongs to no segment */
	uint64_t bias;
	const char *path; /* "" the program itself */
	uint32_t *counter;
	bool loaded;
	struct all_symbol *symbol; /* ascending; of the whole file */
	char *names;               /* that they have */
	size_t symbols;
	bool named; /* symbols have been looked for */
};

/*
 * The segments, under a lock that all_unlock() gives back. The last one is that of the rest. @n 0:
 * nothing was ever turned on.
 */
struct all_segment *all_lock(size_t *ret_n);
void all_unlock(void);

/*
 * The functions that the ELF file at @path names, ascending by address, in *@ret_symbols, whose
 * names are in *@ret_names; the caller frees both. A file that is not to be had, or makes no sense,
 * has none. -ENOMEM.
 */
int all_symbols(const char *path, struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n);

#endif
