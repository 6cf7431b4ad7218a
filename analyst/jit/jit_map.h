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
	/* its @lines lines, usually sorted, are in jit_map.line from index @line on */
	size_t line, lines;
	/* position and length of its unwind information in jit_map.unwind */
	size_t unwind, unwind_bytes;
	uint32_t order; /* a newer piece has a greater one */
	/* the greatest end of this piece and those before it in its run (jit_map.run) */
	uint64_t reach;
};

/* A bound: each run is at least twice as long as the next, so a map has fewer than 64 runs. */
#define JIT_RUNS_MOST 64

/* A perf map or jitdump in memory. */
struct jit_map {
	struct jit_code *code;
	size_t n, room;
	/*
	 * The first @sorted pieces are in runs: run i begins at index run[i], is sorted by start,
	 * and is older than run i + 1. A look-up sorts the rest.
	 */
	size_t sorted, run[JIT_RUNS_MOST];
	unsigned runs;
	char *text; /* names, NUL-terminated */
	size_t text_bytes, text_room;
	struct jit_line *line;
	size_t lines, lines_room;
	size_t pending;         /* from here on, @line has lines of code still to come */
	uint64_t pending_start; /* start address of that code */
	size_t last_file;       /* position in @text of the file's name of the last line added */
	uint8_t *unwind;        /* .eh_frame data */
	size_t unwind_bytes, unwind_room;
	/* from here on, @unwind has data of code still to come */
	size_t pending_unwind;
};

struct jit_source {
	const char *name, *file; /* valid until the map changes; file "": unknown */
	uint32_t line;           /* 0: unknown */
};

/* How many bytes the map takes, without room for growth. */
uint64_t jit_map_bytes(const struct jit_map *map);

/*
 * Adds the complete lines of @text: "3ef414c0 398 LazyCompile:~main /x.js:1" is code from
 * 0x3ef414c0 to 0x3ef41858. Skips invalid lines. Returns the bytes taken, or -ENOMEM.
 */
long jit_map_add(struct jit_map *map, const char *text, size_t bytes);
/* Adds the last line of a file if it has no newline. -ENOMEM. */
int jit_map_add_last(struct jit_map *map, const char *text, size_t bytes);
/* The newest code at @pc. False: none. */
bool jit_map_look_up(struct jit_map *map, uint64_t pc, struct jit_source *ret_source);

/*
 * Adds a piece of code. It gets the pending unwind information. It gets the pending lines only if
 * jit_map_begin_lines() was called for @start. Ignores an empty or nameless piece. -ENOMEM.
 */
int jit_map_put(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t bytes);
/* Begins the lines of the code at @start, which is still to come. -ENOMEM. */
int jit_map_begin_lines(struct jit_map *map, uint64_t start);
/*
 * Adds a line. @offset: from the code's start. @file NULL: the file of the line added before.
 * -ENOMEM.
 */
int jit_map_put_line(
	struct jit_map *map, uint64_t offset, uint32_t line, const char *file, size_t bytes);
/* Adds a copy, at @to, of the newest piece that starts at @from. -ENOMEM. */
int jit_map_move(struct jit_map *map, uint64_t from, uint64_t to, uint64_t size);

/* Copies the .eh_frame data of the code that comes next. -ENOMEM. */
int jit_map_put_unwind(struct jit_map *map, const uint8_t *data, size_t bytes);

/*
 * Finds out how to unwind the newest code at @pc; *@ret_generated is valid until the map changes.
 * If no piece has @pc, and the nearest piece before it in the mapping from @start is a trampoline,
 * the code counts as a trampoline, too. For CPython's mappings have only trampolines, and the last
 * entries of its jitdump are still in a buffer. False: unknown.
 */
bool jit_map_unwind(
	struct jit_map *map, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated);

void jit_map_release(struct jit_map *map);

#endif
