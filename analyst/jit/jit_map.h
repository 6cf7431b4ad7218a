/* SPDX-License-Identifier: MIT */
/*
 * Pieces of generated code with their names and lines, from a perf map (parsed here) or a jitdump
 * (jitdump.h). Of overlapping pieces the newest counts.
 */
#ifndef ANALYST_JIT_MAP_H
#define ANALYST_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_generated;

struct jit_line {
	uint64_t offset; /* address, from the start of the code */
	size_t file;     /* position in jit_map.text */
	uint32_t line;
};

struct jit_code {
	uint64_t start, end;
	size_t name; /* position in jit_map.text */
	/*
	 * The lines of the piece: index of the first in jit_map.line, and their number; usually
	 * sorted.
	 */
	size_t line, lines;
	/* position and length of the piece's unwind information in jit_map.unwind */
	size_t unwind, unwind_bytes;
	uint32_t order; /* greater: newer */
	uint64_t reach; /* in a run: the greatest end of this and all previous pieces of the run */
};

/* More than any map has: each run is at least twice as long as the next. */
#define JIT_RUNS_MOST 64

/* A perf map or jitdump in memory. */
struct jit_map {
	struct jit_code *code;
	size_t n, room;
	/*
	 * The first @sorted pieces are divided into runs: run i begins at index run[i], is sorted
	 * by start, and is older than run i + 1. A look-up sorts the pieces behind them.
	 */
	size_t sorted, run[JIT_RUNS_MOST];
	unsigned runs;
	char *text; /* names, NUL-terminated */
	size_t text_bytes, text_room;
	struct jit_line *line;
	size_t lines, lines_room;
	size_t pending;         /* lines from this index on belong to code that is still to come */
	uint64_t pending_start; /* start address of the code that these pending lines describe */
	size_t last_file;       /* position in @text of the last pending line's file name */
	uint8_t *unwind;        /* call frame information */
	size_t unwind_bytes, unwind_room;
	/* In @unwind: what follows this offset belongs to code that is still to come. */
	size_t pending_unwind;
};

/* The source position of generated code. */
struct jit_source {
	const char *name, *file; /* valid until the map changes; file "": unknown */
	uint32_t line;           /* 0 unknown */
};

/* The bytes of memory that a map uses, not counting what is reserved for its growth. */
uint64_t jit_map_bytes(const struct jit_map *map);

/*
 * Adds the complete lines of @text: "3ef414c0 398 LazyCompile:~main /x.js:1" is code from
 * 0x3ef414c0 to 0x3ef41858. Invalid lines are skipped. Returns the bytes taken, or -ENOMEM.
 */
long jit_map_add(struct jit_map *map, const char *text, size_t bytes);
/* Adds the last line of a file if it has no newline. -ENOMEM. */
int jit_map_add_last(struct jit_map *map, const char *text, size_t bytes);
/* The newest name at @pc, with its line. False: none. */
bool jit_map_look_up(struct jit_map *map, uint64_t pc, struct jit_source *ret_source);

/*
 * Adds one piece of code, with its pending unwind information, and the pending lines if they are
 * for @start. An empty or nameless piece is ignored. 0, -ENOMEM.
 */
int jit_map_put(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t bytes);
/* Begins the lines of the code at @start, which is still to come. 0 or -ENOMEM. */
int jit_map_begin_lines(struct jit_map *map, uint64_t start);
/*
 * Adds a line of the code of jit_map_begin_lines(). @offset: its address, from the start of the
 * code; @file NULL: the previous line's file. -ENOMEM.
 */
int jit_map_put_line(
	struct jit_map *map, uint64_t offset, uint32_t line, const char *file, size_t bytes);
/* Adds a copy, at @to, of the newest piece that starts at @from. -ENOMEM. */
int jit_map_move(struct jit_map *map, uint64_t from, uint64_t to, uint64_t size);

/* Adds a copy of the call frame information of the code that comes next. -ENOMEM. */
int jit_map_put_unwind(struct jit_map *map, const uint8_t *data, size_t bytes);

/*
 * Finds out how to unwind the newest code at @pc; *@ret_generated is valid until the map changes.
 * Code without an entry counts as a trampoline if a trampoline precedes it in the mapping from
 * @start: CPython's mappings hold only trampolines, and the last entries of a jitdump stay in the
 * process's buffer until it ends. False: unknown.
 */
bool jit_map_unwind(
	struct jit_map *map, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);

void jit_map_release(struct jit_map *map);

#endif
