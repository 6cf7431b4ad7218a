/* SPDX-License-Identifier: MIT */
/*
 * The report `annotate`: the source of one function with the samples of each line. Below a line
 * stand the functions inlined there and the instructions generated from it.
 *
 * A line's self and total are those of the report `lines`. An inlined function has the samples in
 * it and in calls inlined into it. An instruction has all samples at its bytes.
 */
#ifndef VIEW_REPORT_ANNOTATE_H
#define VIEW_REPORT_ANNOTATE_H

#include <string.h>

#include "base/table.h"
#include "view/code.h"
#include "view/frames.h"

enum { ANNOTATE_NO_LINE = UINT32_MAX };

struct annotate_line {
	const char *file; /* "": unknown */
	uint32_t line;    /* 0: unknown */
	size_t seen;      /* index + 1 of the last sample counted in its total */
	struct row row;
};

struct annotate_inlined {
	uint32_t line;        /* index of the line */
	const char *function; /* the inlined one */
	struct row row;
};

struct annotate_instruction {
	uint32_t line; /* index of the line; ANNOTATE_NO_LINE: none */
	uint64_t address;
	const char *text; /* NULL: the address has samples, but its instruction could not be read */
	/* innermost inlined function at the instruction; NULL: the annotated function itself */
	const char *inlined;
	const char *inlined_file;
	uint32_t inlined_line;
	struct row row;
};

struct annotate {
	const struct profile *profile;
	const struct report_options *options;
	struct frames frames;
	char *name;         /* the function's name; owned */
	uint32_t declared;  /* first line of the function; 0: unknown */
	const char *file;   /* the source file with most samples of the function; "": unknown */
	const char *object; /* an object with the function; "": unknown */
	struct row row;     /* of the function */
	bool *wanted;       /* by place of @frames: is it the annotated function? */

	struct annotate_line *line;
	struct annotate_inlined *inlined;
	struct annotate_instruction *instruction; /* sorted by line, then by address */
	size_t lines, inlineds, instructions;
	size_t line_room, inlined_room, instruction_room;
	struct table line_table, inlined_table;

	struct row *at;           /* by location: the function's samples there; only @self is set */
	struct code_object *code; /* requests for instructions, and answers */
	struct code_addresses addresses;
	size_t codes; /* number of @code */
};

void annotate_release(struct annotate *annotate);

/* Returns the index of the line, which is added if it is new, or -ENOMEM. */
int annotate_line_of(struct annotate *annotate, const char *file, uint32_t line);

/* Requests the instructions and counts their samples. 0 or -ENOMEM. */
int annotate_instructions(struct annotate *annotate);

/*
 * Is the row's self or total, the greater one, at least options->min_percent of the whole profile,
 * and not 0?
 */
bool annotate_is_hot(const struct annotate *annotate, const struct row *row);

bool annotate_shows_instruction(
	const struct annotate *annotate, const struct annotate_instruction *instruction);

/*
 * A line is shown if it is hot. With REPORT_INSTRUCTIONS_ALL, it is also shown if it has
 * instructions.
 */
bool annotate_shows_line(const struct annotate *annotate, size_t line);

static inline bool annotate_is(const struct annotate *annotate, const char *function)
{
	return !strcmp(annotate->name, function);
}

/* 0 or -ENOMEM. */
int annotate_text(struct annotate *annotate, FILE *out);

#endif
