/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has generated, from its perf map: /tmp/perf-PID.map, as node
 * (--perf-basic-prof), Java (-XX:+DumpPerfMapAtExit, jcmd PID Compiler.perfmap) and CPython (-X
 * perf) write it. One line a piece of code, "START SIZE name", hexadecimal. Or from its jitdump
 * (jitdump.h), which has lines, too, and goes first.
 */
#ifndef ANALYST_JIT_H
#define ANALYST_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/jit_map.h"

struct jit;
struct opener;
struct profile;

/* What the maps of all processes may take together; zeroed at the start. */
struct jit_budget {
	uint64_t used_bytes;
	unsigned said; /* notes about maps that were too large */
	bool rewritten; /* --jit-map: maps are written anew, not only grow: the end reads all */
};

/*
 * @live: the process may be alive; its own file system and pid namespace are looked at. A map that
 * takes more than its share of @budget, which must outlive it, is read no further, and a note in
 * the profile says so. NULL: no memory.
 */
struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget);
void jit_free(struct jit *jit);

/* The jitdump that the process has mapped, as it calls it; the first that is set counts. NULL:
 * none.
 */
void jit_set_dump(struct jit *jit, const char *path);

/*
 * The location of generated code at @pc, which lies in a mapping that begins at @start. It is named
 * now, or by jit_finish(). -ENOMEM.
 */
int jit_location(struct jit *jit, uint64_t pc, uint64_t start);

/* Names what had no name yet, by all that the map has now. May be called again. -ENOMEM. */
int jit_finish(struct jit *jit);

#endif
