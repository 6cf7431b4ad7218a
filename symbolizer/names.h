/* SPDX-License-Identifier: MIT */
/*
 * Everything that names the places of one module: its symbol tables, its debug file, its DWARF, and
 * the answers given so far. Made by foreign code in large parts: symbols and debug file when the
 * names or a section are asked for first, DWARF when a place is.
 */
#ifndef SYMBOLIZER_NAMES_H
#define SYMBOLIZER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile_section;
struct frame_chain;
struct module;
struct names;

/* NULL: out of memory. */
struct names *names_of(struct module *module);
void names_free(struct names *names);

/*
 * Was debug information left out because it took too much memory? What names_resolve() gave before
 * may be asked for again.
 */
bool names_is_blamed(const struct names *names);

/* For struct module_info. */
const char *names_symbols(const struct names *names);
const char *names_lines(const struct names *names);

/*
 * Around calls of names_resolve(): tells working_on the path. The first one opens the DWARF. After
 * an error (-ENOMEM) nothing is to be ended.
 */
int names_begin(struct names *names);
void names_end(struct names *names);

/* The frames at an address of the file; they live as long as the names. -ENOMEM. */
int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain);

/* Where the function at an address that was resolved begins and ends. False: it is not known. */
bool names_bounds(struct names *names, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end);

#endif
