/* SPDX-License-Identifier: MIT */
/*
 * Names of code that a process has generated, from its perf map: /tmp/perf-PID.map, as node
 * (--perf-basic-prof), Java (-XX:+DumpPerfMapAtExit, jcmd PID Compiler.perfmap) and CPython (-X
 * perf) write it. One line a piece of code, "START SIZE name", hexadecimal; new pieces are
 * appended, and of two that overlap the newer one counts.
 */
#ifndef ANALYST_JIT_H
#define ANALYST_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit;
struct opener;
struct profile;

struct jit_code {
	uint64_t start, end;
	size_t name; /* in jit_map.text */
	uint32_t order;
	uint64_t reach; /* the furthest end of this one and all before it; after sealing */
};

/* A perf map in memory. */
struct jit_map {
	struct jit_code *code;
	size_t n, room;
	bool sealed; /* sorted by start */
	char *text;  /* names, NUL-terminated */
	size_t text_bytes, text_room;
};

/* The memory that a map takes, room to grow aside. */
uint64_t jit_map_bytes(const struct jit_map *map);

/*
 * Adds the whole lines of @text: "3ef414c0 398 LazyCompile:~main /x.js:1" is code from 0x3ef414c0
 * to 0x3ef41858. Lines that make no sense are skipped. Returns the bytes taken, or -ENOMEM.
 */
long jit_map_add(struct jit_map *map, const char *text, size_t bytes);
/* The newest name at @pc, NULL none. */
const char *jit_map_find(struct jit_map *map, uint64_t pc);
void jit_map_release(struct jit_map *map);

/* What the maps of all processes may take together; zeroed at the start. */
struct jit_budget {
	uint64_t used_bytes;
	unsigned said; /* notes about maps that were too large */
};

/*
 * @live: the process may be alive; its own file system and pid namespace are looked at. A map that
 * takes more than its share of @budget, which must outlive it, is read no further, and a note in
 * the profile says so. NULL: no memory.
 */
struct jit *jit_new(struct profile *profile, struct opener *opener, uint32_t pid, bool live,
	struct jit_budget *budget);
void jit_free(struct jit *jit);

/*
 * The location of generated code at @pc, which lies in a mapping that begins at @start. It is named
 * now, or by jit_finish(). -ENOMEM.
 */
int jit_location(struct jit *jit, uint64_t pc, uint64_t start);

/* Names what had no name yet, by all that the map has now. May be called again. -ENOMEM. */
int jit_finish(struct jit *jit);

#endif
