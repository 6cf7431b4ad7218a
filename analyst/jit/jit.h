/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has generated, from its perf map: /tmp/perf-PID.map, as written by
 * node (--perf-basic-prof), Java (-XX:+DumpPerfMapAtExit, jcmd PID Compiler.perfmap) and CPython
 * (-X perf). It has one line per piece of code, "START SIZE name", hexadecimal. A jitdump
 * (jitdump.h) of the process has source lines, too, and takes precedence.
 */
#ifndef ANALYST_JIT_H
#define ANALYST_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyst/jit/jit_map.h"

struct jit;
struct opener;
struct profile;

/* Limits the memory for the maps of all processes; zero-initialized. */
struct jit_budget {
	uint64_t used_bytes;
	unsigned said; /* number of notes so far about maps that were too large */
	/* --jit-map: processes rewrite their maps, not only append: read them again at the end. */
	bool rewritten;
};

/*
 * Creates an object that names the code of process @pid; it reads the process's files when names
 * are needed. @live: the process may be alive: its file system and pid namespace are used. Reading
 * a map ends, with a note in the profile, when that map or all maps of @budget become too large, or
 * at a line of 1 MiB. @budget must outlive the result. NULL: out of memory.
 */
struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget);
void jit_free(struct jit *jit);

/*
 * Sets the path of the jitdump that the process has mapped, as the process names it. Only the first
 * call counts. NULL: none.
 */
void jit_set_dump(struct jit *jit, const char *path);

/*
 * Returns the location of generated code at @pc, in a mapping that begins at @start. The location
 * gets its name now, or by jit_finish(). Code of another process at the same address has another
 * location, unless both have the same name now. -ENOMEM.
 */
int jit_location(struct jit *jit, uint64_t pc, uint64_t start);

/*
 * Finds out how to unwind the generated code at @pc, in a mapping that begins at @start. 1:
 * *@ret_generated, valid until the next call; 0: the files read so far do not say; -ENOMEM.
 */
int jit_unwind(
	struct jit *jit, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);

/*
 * Names the locations that have no name yet, from the present content of the map. May be called
 * again. -ENOMEM.
 */
int jit_finish(struct jit *jit);

#endif
