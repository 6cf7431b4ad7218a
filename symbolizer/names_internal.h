/* SPDX-License-Identifier: MIT */
/* Shared by names.c, names_open.c and names_load.c. */
#ifndef SYMBOLIZER_NAMES_INTERNAL_H
#define SYMBOLIZER_NAMES_INTERNAL_H

#include "base/table.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/names.h"
#include "symbolizer/spelling.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/symtab.h"

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
	const char *symbols, *lines;
	const char *working_on; /* the path to report while DWARF is read; NULL: no DWARF */
	bool lines_wanted;      /* lines are requested, and have not been searched for yet */
	bool begun;             /* names_begin() was called */
	bool left_alone;        /* the file must not be parsed at all */
	bool go;                /* Go made the file */
	bool blamed;            /* the file was too large: names_is_blamed() */
	struct table table;     /* finds @answers by svma */
	struct names_answer *answers;
	size_t n_answers, answers_room;
	struct spellings spellings;
	struct arena arena;
};

/* Calls symbolizer_options.working_on: with @path before a file is parsed, with NULL afterwards. */
void names_work_on(const struct module *module, const char *path);
/* Drops debug information after @error (-ENOMEM, -E2BIG); the module's problem says so. -ENOMEM. */
int names_blame(struct names *names, int error);
/* Loads symbols and debug file. -ENOMEM. */
int names_load(struct names *names);
/* Opens the DWARF of the module's file, or of its debug file. -ENOMEM. */
int names_load_lines(struct names *names);
/* Sets the module's problem if there are no symbols, or no lines. */
void names_say_what_is_missing(struct names *names);
/* Sets the module's problem if files of split debug information are missing so far. */
void names_say_split_is_missing(struct names *names);
void names_release_files(struct names *names);

#endif
