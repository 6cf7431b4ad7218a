/* SPDX-License-Identifier: MIT */
/*
 * Names of one module: from symbol tables, debug file, DWARF, and earlier answers. Symbols and
 * debug file are read by the first names_of(), DWARF by the first names_begin().
 */
#ifndef SYMBOLIZER_NAMES_H
#define SYMBOLIZER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct elffile_section;
struct frame_chain;
struct gopclntab;
struct module;
struct names;

/* The module's names; the first call loads symbols and debug file. NULL: out of memory. */
struct names *names_of(struct module *module);
void names_free(struct names *names);

/*
 * Was debug information dropped, as it took too much memory? Then names_resolve() answers without
 * it; earlier answers must be asked for again.
 */
bool names_is_blamed(const struct names *names);

/* The table of a Go program; NULL: none. Valid as long as @names. */
const struct gopclntab *names_go(const struct names *names);

/* The values of module_info.symbols and .lines. */
const char *names_symbols(const struct names *names);
const char *names_lines(const struct names *names);
/* The language of the file: "Go", or "": unknown. */
const char *names_language(const struct names *names);

/*
 * Enclose a series of names_resolve(), and report to symbolizer_options.working_on that the file is
 * parsed. The first names_begin() opens the DWARF. After its error, -ENOMEM, do not call
 * names_end().
 */
int names_begin(struct names *names);
void names_end(struct names *names);

/* The frames at an address of the file; valid as long as @names. -ENOMEM. */
int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain);

/* The bounds of the function at an address that was resolved. False: unknown. */
bool names_bounds(struct names *names, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end);

#endif
