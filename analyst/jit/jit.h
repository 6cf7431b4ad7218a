/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has generated, from its perf map: /tmp/perf-PID.map, as written by
 * node (--perf-basic-prof), Java (-XX:+DumpPerfMapAtExit, jcmd PID Compiler.perfmap) and CPython
 * (-X perf). A line "START SIZE name", hexadecimal, is a piece of code. A jitdump (jitdump.h) takes
 * precedence, as it has source lines, too.
 */
#ifndef ANALYST_JIT_H
#define ANALYST_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyst/jit/jit_map.h"

struct jit;
struct opener;
struct profile;

/* Limits the memory of all processes' maps; zero-initialized. */
struct jit_budget {
	uint64_t used_bytes;
	unsigned said; /* notes so far on maps that are too large */
	/* --jit-map: processes rewrite their maps, so these are read again at the end */
	bool rewritten;
};

/*
 * Makes an object that names the code of process @pid, from files that are read when needed. @live:
 * the process may be alive; its file system and pid namespace are used. A file is not read any
 * further, with a note in the profile, if its names take more than 128 MiB of memory, if those of
 * all files of @budget take more than 512 MiB, if too many of its bytes were parsed (256 MiB of a
 * perf map, 1 GiB of a jitdump), or at a line of more than 1 MiB. @budget must outlive the result.
 * NULL: out of memory.
 */
struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget);
void jit_free(struct jit *jit);

/*
 * Sets the path of the jitdump that the process has mapped, as the process names it; NULL: none.
 * Only the first path counts.
 */
void jit_set_dump(struct jit *jit, const char *path);

/*
 * The location of generated code at @pc, in a mapping that begins at @start. It gets its name here
 * if the name is known, otherwise by a later jit_unwind() or jit_finish(). Code of another process
 * at the same address has the same location only if both have the same name when they are added.
 * -ENOMEM.
 */
int jit_location(struct jit *jit, uint64_t pc, uint64_t start);

/*
 * Finds out how to unwind the generated code at @pc, in a mapping that begins at @start. 1:
 * *@ret_generated is set, valid until the next call; 0: the files have no such code so far;
 * -ENOMEM.
 */
int jit_unwind(
	struct jit *jit, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);

/* Names the unnamed locations, from the map's present content. May be called again. -ENOMEM. */
int jit_finish(struct jit *jit);

#endif
