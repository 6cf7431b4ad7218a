/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has generated, from its perf map: /tmp/perf-PID.map, as written by
 * node (--perf-basic-prof), Java (-XX:+DumpPerfMapAtExit, jcmd PID Compiler.perfmap) and CPython
 * (-X perf). One line per piece of code, "START SIZE name", hexadecimal. Or from its jitdump
 * (jitdump.h), which has lines, too, and takes precedence.
 */
#ifndef ANALYST_JIT_H
#define ANALYST_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyst/jit/jit_map.h"

struct jit;
struct opener;
struct profile;

/* Memory of the maps of all processes; zero-initialized. */
struct jit_budget {
	uint64_t used_bytes;
	unsigned said; /* number of notes so far about maps that were too large */
	/* --jit-map: maps are rewritten, not only appended to: read them again at the end */
	bool rewritten;
};

/*
 * @live: the process may be alive; its own file system and pid namespace are used. A map that
 * exceeds its share of @budget, which must outlive it, is not read any further, and a note in the
 * profile says so. NULL: out of memory.
 */
struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget);
void jit_free(struct jit *jit);

/*
 * Sets the jitdump that the process has mapped, as the process names it; only the first call
 * counts. NULL: none.
 */
void jit_set_dump(struct jit *jit, const char *path);

/*
 * The location of generated code at @pc, in a mapping that begins at @start. Named now, or by
 * jit_finish(). -ENOMEM.
 */
int jit_location(struct jit *jit, uint64_t pc, uint64_t start);

/*
 * How to unwind the generated code at @pc, in a mapping that begins at @start, as far as the files
 * read so far say. 1: *@ret_generated, valid until the next call; 0: unknown; -ENOMEM.
 */
int jit_unwind(
	struct jit *jit, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);

/*
 * Names the locations that have no name yet, from the present content of the map. May be called
 * again. -ENOMEM.
 */
int jit_finish(struct jit *jit);

#endif
