/* SPDX-License-Identifier: MIT */
/* sprofil_all(3): shared by its files. Unlike the rest of libsprofil, they allocate and lock. */
#ifndef CLIENT_ALL_H
#define CLIENT_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALL_STEP 4u /* Bytes of text per counter. */

struct all_symbol {
	uint64_t address, bytes; /* address in the ELF file, and size */
	const char *name;
};

/*
 * An executable segment of an object that is or was loaded; or the rest segment. The rest segment
 * has one counter, for all addresses that no other segment has.
 */
struct all_segment {
	uint64_t start, end; /* multiples of ALL_STEP; both 0: the rest segment */
	uint64_t bias;
	const char *path;  /* path of the segment's file; "": the program itself */
	uint32_t *counter; /* counters, one for each ALL_STEP bytes; the rest segment has one */
	bool loaded;
	struct all_symbol *symbol; /* symbols of the whole file, ascending */
	char *names;               /* the strings of the symbols */
	size_t symbols;
	bool named; /* the symbol table has been read */
};

/*
 * Returns the segments and sets *@ret_n to their number; all_unlock() must follow. The last one is
 * the rest segment. There are none if sprofil_all() has never been called.
 */
struct all_segment *all_lock(size_t *ret_n);
void all_unlock(void);

/*
 * Reads the functions of an ELF file's symbol table, ascending by address. The caller frees
 * *@ret_symbols and *@ret_names, which holds the names. 0; if the file cannot be read or is
 * invalid, *@ret_n is 0; or -ENOMEM.
 */
int all_symbols(const char *path, struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n);

#endif
