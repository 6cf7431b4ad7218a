/* SPDX-License-Identifier: MIT */
/* Shared by python.c, python_codes.c and python_merge.c. */
#ifndef ANALYST_PYTHON_INTERNAL_H
#define ANALYST_PYTHON_INTERNAL_H

#include "analyst/base/runtime.h"
#include "analyst/python/python_layout.h"
#include "base/table.h"

struct module;
struct symbolizer;

/* A code object as last sent by the supervisor. */
struct python_code {
	uint64_t address;  /* the first member: the key of struct python.by_address */
	uint64_t number;   /* in the order of arrival: 1, 2, … */
	uint32_t function; /* index in the profile */
	int32_t first_line;
	uint8_t *lines; /* the line table; owned */
	size_t lines_bytes;
	bool internal; /* the interpreter's own, no function of Python */
	/* the code's locations, sorted by line; owned */
	struct python_line_location {
		uint32_t line, location;
	} *location;
	size_t locations, location_room;
};

struct python {
	struct python_layout layout;
	struct locations *list;
	const struct module *module; /* the interpreter's module */
	struct python_code *code;    /* owned */
	size_t codes, room;
	uint64_t taken;          /* code objects received so far */
	struct table by_address; /* indexes of @code */
	/* index in the profile of the mapping that has Python's functions */
	int mapping;
	uint64_t gil, gil_bytes; /* address and size of the interpreter's lock; 0: unknown */
};

/* Implements runtime.object(): copies a code object. -ENOMEM. */
int python_take_object(void *state, const struct record_object *object);

/* The code object at @address. NULL: the supervisor has not sent it. */
struct python_code *python_find_code(const struct python *python, uint64_t address);

/* Returns the location of the source line at byte @offset of the code, or -ENOMEM. */
int python_location(struct python *python, struct python_code *code, int64_t offset);

void python_free_codes(struct python *python);

/* Implements runtime.merge(). */
int python_merge(void *state, const struct runtime_sample *sample, struct runtime_stack *stack);

#endif
