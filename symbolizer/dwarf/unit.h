/* SPDX-License-Identifier: MIT */
/* A compilation unit's lines, functions and inlined calls, by address. Filled by dwarf_reader.c. */
#ifndef SYMBOLIZER_UNIT_H
#define SYMBOLIZER_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget;

enum { UNIT_NONE = UINT32_MAX };

struct unit_line {
	uint64_t svma;
	uint32_t file; /* UNIT_NONE: no line from this address on (the end of a sequence) */
	uint32_t line;
	uint32_t order; /* position in the table; valid only until unit_seal() */
};

/* A function or an inlined call. */
struct unit_scope {
	uint64_t die;                  /* offset of the scope's DIE */
	uint32_t parent;               /* index of the enclosing scope; UNIT_NONE: a function */
	uint32_t call_file, call_line; /* of an inlined call */
};

struct unit_range {
	uint64_t low, high;
	uint32_t scope, depth;
};

/* From @svma up to the next segment, @scope is the innermost scope. Made by unit_seal(). */
struct unit_segment {
	uint64_t svma;
	uint32_t scope; /* UNIT_NONE: none */
};

struct unit_file {
	const char *name, *directory; /* owned by the debug file */
	const char *path;             /* interned; NULL until requested */
};

struct unit {
	struct unit_line *lines;
	struct unit_scope *scopes;
	struct unit_range *ranges; /* freed by unit_seal() */
	struct unit_segment *segments;
	struct unit_file *files;
	size_t n_lines, n_scopes, n_ranges, n_segments, n_files;
	size_t lines_capacity, scopes_capacity, ranges_capacity, segments_capacity, files_capacity;
	struct budget *budget; /* charged for additions; NULL: none */
	uint32_t first_file;   /* DWARF's number of files[0]: 1 up to DWARF 4, 0 since DWARF 5 */
};

/* Each of these functions returns 0, -ENOMEM, or -E2BIG: over the budget. */
int unit_add_line(struct unit *unit, uint64_t svma, uint32_t file, uint32_t line);
int unit_add_scope(struct unit *unit, const struct unit_scope *scope, uint32_t *ret_index);
int unit_add_range(struct unit *unit, const struct unit_range *range);
int unit_add_file(struct unit *unit, const char *name, const char *directory);
/* Sorts lines, and turns ranges into segments. Call once, after all additions. */
int unit_seal(struct unit *unit);

/* The row of the line table that covers @svma; NULL: none. */
const struct unit_line *unit_find_line(const struct unit *unit, uint64_t svma);
/* The innermost scope at the address, or UNIT_NONE. */
uint32_t unit_find_scope(const struct unit *unit, uint64_t svma);
/* The file with this number; NULL: none. */
struct unit_file *unit_file(const struct unit *unit, uint32_t number);

void unit_release(struct unit *unit);

#endif
