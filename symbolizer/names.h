/* SPDX-License-Identifier: MIT */
/*
 * The sources of names of one module: its symbol tables, its debug file, its DWARF, and the
 * previous answers. Third-party code reads most of them: symbols and debug file when names_of() is
 * first called, DWARF when the first address is to be resolved.
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

/*
 * Returns the module's names. The first call loads symbols and debug file (names_open.c). NULL: out
 * of memory.
 */
struct names *names_of(struct module *module);
void names_free(struct names *names);

/*
 * Was debug information dropped because it took too much memory? From then on names_resolve()
 * answers without it: a caller that must not mix both kinds of answers repeats the earlier calls.
 */
bool names_is_blamed(const struct names *names);

/* The table of a Go program, NULL: none. Valid as long as the names. */
const struct gopclntab *names_go(const struct names *names);

/* For the fields symbols and lines of struct module_info: where names and lines came from. */
const char *names_symbols(const struct names *names);
const char *names_lines(const struct names *names);
/* The language of the file: "Go", or "": unknown. */
const char *names_language(const struct names *names);

/*
 * To be called before and after a series of names_resolve(), respectively: they report to
 * symbolizer_options.working_on that the file is parsed. The first names_begin() opens the DWARF.
 * After its error (-ENOMEM) names_end() must not be called.
 */
int names_begin(struct names *names);
void names_end(struct names *names);

/* The frames at an address of the file; valid as long as the names. -ENOMEM. */
int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain);

/* The bounds of the function at an address that was resolved. False: unknown. */
bool names_bounds(struct names *names, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end);

#endif
