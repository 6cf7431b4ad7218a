/* SPDX-License-Identifier: MIT */
/* Shared by the files of sprofil_all(3). Unlike the rest of the library, they allocate and lock. */
#ifndef CLIENT_ALL_H
#define CLIENT_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALL_STEP 4u /* Bytes of text per counter. */

struct all_symbol {
	uint64_t address, bytes; /* address in the ELF file */
	const char *name;
};

/* An executable segment of an object that is, or was, loaded. */
struct all_segment {
	uint64_t start, end; /* multiples of ALL_STEP; 0 to 0: the rest, in no segment */
	uint64_t bias;
	const char *path; /* path of its file; "": the program itself */
	uint32_t *counter;
	bool loaded;
	struct all_symbol *symbol; /* symbols of the whole file, ascending */
	char *names;               /* the strings of the symbols */
	size_t symbols;
	bool named; /* the symbol table has been read */
};

/*
 * Returns the segments, under a lock that all_unlock() releases. The last one collects what is in
 * no segment. *@ret_n 0: sprofil_all() was never turned on.
 */
struct all_segment *all_lock(size_t *ret_n);
void all_unlock(void);

/*
 * The functions named in the ELF file at @path, ascending by address, in *@ret_symbols; their names
 * are in *@ret_names; the caller frees both. A file that cannot be read, or is invalid, has none.
 * -ENOMEM.
 */
int all_symbols(const char *path, struct all_symbol **ret_symbols, char **ret_names, size_t *ret_n);

#endif
