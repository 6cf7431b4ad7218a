/* SPDX-License-Identifier: MIT */
/* What names.c, which answers, and names_load.c, which reads the files for it, share. */
#ifndef SYMBOLIZER_NAMES_INTERNAL_H
#define SYMBOLIZER_NAMES_INTERNAL_H

#include "symbolizer/budget.h"
#include "symbolizer/elffile.h"
#include "symbolizer/image.h"
#include "symbolizer/names.h"
#include "symbolizer/spelling.h"
#include "symbolizer/strpool.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/symtab.h"

struct module;
struct splitfiles;

struct names_answer {
	uint64_t svma;
	struct frame_chain chain;
	bool used;
};

/* A file that names come from: the module's own, its debug file, the supplement of that. */
struct names_source {
	const char *path;
	struct image image; /* not of the module itself: that owns its image */
	struct elffile elf;
};

struct names {
	struct module *module;
	struct names_source own, debug, supplement, mini;
	struct symtab symtab;
	struct budget budget; /* of all these */
	struct debuginfo *debuginfo;
	struct splitfiles *splitfiles; /* NULL: the debug information is not split */
	const char *symbols, *lines;
	const char *working_on;       /* while DWARF is read */
	bool lines_wanted;            /* and not looked for yet */
	bool begun;                   /* names were asked for */
	bool left_alone;              /* not a byte of the file is to be parsed */
	bool blamed;                  /* it was too large: names_is_blamed() */
	struct names_answer *answers; /* open addressing by svma */
	size_t n_answers, answers_capacity;
	struct spellings spellings;
	struct unwind_table *ranges; /* of functions without a name; NULL not looked for yet */
	struct arena arena;
};

/* Tells working_on. NULL: it is over. */
void names_work_on(const struct module *module, const char *path);
/*
 * Over budget, or out of memory: nothing more of the file's debug information is used. 0, or
 * -ENOMEM when there is none even to say it.
 */
int names_blame(struct names *names, int error);
/* Symbols and debug file; then, when they are wanted, lines. -ENOMEM. */
int names_load(struct names *names);
int names_load_lines(struct names *names);
void names_say_what_is_missing(struct names *names);
/* Of split debug information, so far. */
void names_say_split_is_missing(struct names *names);
/* All that was loaded. */
void names_release_files(struct names *names);

#endif
