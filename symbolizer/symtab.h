/* SPDX-License-Identifier: MIT */
/* Functions by address, from symbol tables: the file's own, its debug file's, the PLT's. */
#ifndef SYMBOLIZER_SYMTAB_H
#define SYMBOLIZER_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget;
struct elffile;
struct elfimage;
struct pool;

struct symbol {
	uint64_t svma, bytes; /* @bytes is 0 if unknown, until symtab_seal() sets it */
	uint64_t reach;       /* the greatest end of this and all previous symbols */
	uint64_t limit;       /* the end of the symbol's section */
	const char *name;     /* owned by the file, or interned */
	bool stretched;       /* the file gives no size: @bytes reaches to the next symbol */
	uint32_t rank;        /* of several symbols at one address, the highest rank wins */
};

struct symtab {
	struct symbol *symbols;
	size_t n, capacity;
};

/*
 * Adds the functions that the symbol tables of @type, SHT_SYMTAB or SHT_DYNSYM, list. Returns the
 * number of functions added, -ENOMEM, or -E2BIG: over the file's budget. @file owns the names, and
 * must outlive @symtab.
 */
int symtab_add(struct symtab *symtab, struct elffile *file, uint32_t type);
int symtab_add_symbol(struct symtab *symtab, const struct symbol *symbol);
/* Returns the number of exported functions added, -ENOMEM, or -E2BIG. @image owns the names. */
int symtab_add_exported(struct symtab *symtab, const struct elfimage *image, struct budget *budget);
/* Adds the entries of .plt, .plt.sec and .plt.got with the names "NAME@plt". -ENOMEM, -E2BIG. */
int symtab_add_plt(struct symtab *symtab, struct elffile *file, struct pool *strings);
/*
 * Sorts the symbols. Drops all but the one of highest rank at each address, and labels without a
 * size inside of functions. Sets unknown sizes. Call before symtab_find().
 */
void symtab_seal(struct symtab *symtab);
/* The innermost symbol that covers @svma; NULL: none. */
const struct symbol *symtab_find(const struct symtab *symtab, uint64_t svma);
void symtab_release(struct symtab *symtab);

#endif
