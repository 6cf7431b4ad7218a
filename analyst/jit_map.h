/* SPDX-License-Identifier: MIT */
/*
 * Pieces of generated code with their names and lines, as a perf map (the parser is here) or a
 * jitdump (jitdump.h) tells them. New pieces are appended, and of two that overlap the newer one
 * counts.
 */
#ifndef ANALYST_JIT_MAP_H
#define ANALYST_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_line {
	uint64_t offset; /* from the code's start on */
	size_t file;     /* in jit_map.text */
	uint32_t line;
};

struct jit_code {
	uint64_t start, end;
	size_t name;        /* in jit_map.text */
	size_t line, lines; /* of jit_map.line, in the order of addresses as they came */
	uint32_t order;
	uint64_t reach; /* the furthest end of this one and all before it; after sealing */
};

/* A perf map or jitdump in memory. */
struct jit_map {
	struct jit_code *code;
	size_t n, room;
	bool sealed; /* sorted by start */
	char *text;  /* names, NUL-terminated */
	size_t text_bytes, text_room;
	struct jit_line *line;
	size_t lines, lines_room;
	size_t pending;         /* lines from here on are of code that is still to come: */
	uint64_t pending_start; /* this */
	size_t last_file;       /* of the lines pending, in text */
};

/* Where generated code comes from. */
struct jit_source {
	const char *name, *file; /* in the map, until it changes; file "" unknown */
	uint32_t line;           /* 0 unknown */
};

/* The memory that a map takes, room to grow aside. */
uint64_t jit_map_bytes(const struct jit_map *map);

/*
 * Adds the whole lines of @text: "3ef414c0 398 LazyCompile:~main /x.js:1" is code from 0x3ef414c0
 * to 0x3ef41858. Lines that make no sense are skipped. Returns the bytes taken, or -ENOMEM.
 */
long jit_map_add(struct jit_map *map, const char *text, size_t bytes);
/* The newest name at @pc, with its line. False: there is none. */
bool jit_map_look_up(struct jit_map *map, uint64_t pc, struct jit_source *ret_source);

/* One piece, with the lines that are pending for its start. 0, or -ENOMEM. */
int jit_map_put(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t bytes);
/* The lines that are put from now on are of code at @start that is still to come. */
int jit_map_begin_lines(struct jit_map *map, uint64_t start);
/* @file NULL: as the line before. */
int jit_map_put_line(
	struct jit_map *map, uint64_t offset, uint32_t line, const char *file, size_t bytes);
/* The newest piece that starts at @from is at @to as well; of old ones not all are looked at. */
int jit_map_move(struct jit_map *map, uint64_t from, uint64_t to, uint64_t size);

void jit_map_release(struct jit_map *map);

#endif
