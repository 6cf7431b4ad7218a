/* SPDX-License-Identifier: MIT */
/*
 * Names of one module, from symbol tables, a debug file and DWARF. What names_resolve() has found
 * is kept. The first names_of() reads symbols and debug file, the first names_begin() reads DWARF.
 */
#ifndef SYMBOLIZER_NAMES_H
#define SYMBOLIZER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/spelling.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/symtab.h"

struct gopclntab;
struct module;
struct splitfiles;

struct names_answer {
	uint64_t svma;
	struct frame_chain chain;
};

/* A file with names: the module's own, its debug file, the supplement, the MiniDebugInfo. */
struct names_source {
	const char *path;
	struct elfimage image; /* unused for the module's own file, whose image the module owns */
	struct elffile elf;
};

struct names {
	struct module *module;
	struct names_source own, debug, supplement, mini;
	struct symtab symtab;
	struct budget budget; /* budget of the module's file and of its debug files */
	struct debuginfo *debuginfo;
	struct gopclntab *pclntab;     /* NULL: not a Go program */
	struct splitfiles *splitfiles; /* NULL: the debug information is not split */
	const char *symbols, *lines;   /* the values of module_info.symbols and .lines */
	const char *working_on;        /* the path to report while DWARF is read; NULL: no DWARF */
	bool lines_wanted;             /* lines are requested, and have not been searched for yet */
	bool begun;                    /* names_begin() was called */
	bool left_alone;               /* the file must not be parsed at all */
	bool go;                       /* Go made the file */
	/*
	 * Debug information was dropped, as it took too much memory. Then names_resolve() answers
	 * without it; earlier answers must be asked for again.
	 */
	bool blamed;
	struct table table; /* finds @answers by svma */
	struct names_answer *answers;
	size_t n_answers, answers_room;
	struct spellings spellings;
	struct arena arena;
};

/* The module's names; the first call loads symbols and debug file. NULL: out of memory. */
struct names *names_of(struct module *module);
void names_free(struct names *names);

/*
 * Enclose a series of names_resolve(), and report to symbolizer_options.working_on that the file is
 * parsed. The first names_begin() opens the DWARF. If names_begin() fails (-ENOMEM), do not call
 * names_end().
 */
int names_begin(struct names *names);
void names_end(struct names *names);

/* The frames at an address of the file; valid as long as @names. -ENOMEM. */
int names_resolve(struct names *names, uint64_t svma, struct frame_chain *ret_chain);

/* The bounds of the function at an address that was resolved. False: unknown. */
bool names_bounds(struct names *names, uint64_t svma, uint64_t *ret_start, uint64_t *ret_end);

/* Below: shared by names.c and names_load.c. */

/* Calls symbolizer_options.working_on: with @path before a file is parsed, with NULL afterwards. */
void names_work_on(const struct module *module, const char *path);
/*
 * Drops the debug information, as @error (-ENOMEM or -E2BIG) occurred, and says so in the module's
 * problem. Returns 0, or -ENOMEM: out of memory for the problem's text.
 */
int names_blame(struct names *names, int error);
/* Opens the DWARF of the module's file, or of its debug file. -ENOMEM. */
int names_load_lines(struct names *names);
/* Sets the module's problem if there are no symbols, or no lines. */
void names_say_what_is_missing(struct names *names);
/* Sets the module's problem if files of split debug information are missing so far. */
void names_say_split_is_missing(struct names *names);
void names_release_files(struct names *names);

#endif
