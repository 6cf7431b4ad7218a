/* SPDX-License-Identifier: MIT */
/*
 * The languages' runtimes in the processes of a record stream: finds them, requests their frames
 * from the supervisor, and puts these frames into the stacks.
 */
#ifndef ANALYST_RUNTIMES_H
#define ANALYST_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/base/peek.h"
#include "analyst/base/runtime.h"

struct image_space;
struct profile;
struct record_memory;
struct spaces;
struct unwind_result;

enum runtimes_show {
	RUNTIMES_MERGED, /* the language's frames among the native ones */
	RUNTIMES_ONLY,   /* the language's frames alone */
	RUNTIMES_NOT,    /* native frames; nothing of a runtime is read */
};

/* With RUNTIMES_ONLY, a stack without frames of the language has this frame. */
#define RUNTIMES_NONE_OF_THEM "[no Python]"
/* The frame between a function of the language and its wait for the interpreter's lock. */
#define RUNTIMES_WAITS "[waiting for the GIL]"
/*
 * The label (key and text) of the thread that holds the interpreter's lock, in the output of
 * --dump.
 */
#define RUNTIMES_LOCK      "gil"
#define RUNTIMES_LOCK_HELD "held"

struct runtimes_options {
	enum runtimes_show show;
	bool own_frames; /* show the frames of the interpreter itself, too */
	/* Sends requests to the supervisor; false: it cannot take them now. NULL: no supervisor. */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
};

struct runtimes {
	struct runtimes_options options;
	struct locations *locations; /* borrowed */
	/* The RECORD_RUNTIME that belongs to the next sample; tid 0: none. */
	struct record_runtime pending;
	uint64_t pending_ns; /* CLOCK_MONOTONIC of @pending, equal to that of the sample */
	uint8_t *frame;      /* a copy of the frames of @pending; owned */
	size_t frame_room;
	struct runtime_stack stack; /* the language's part of the current sample */
	uint8_t *hidden;            /* for each native frame of the current sample: is it hidden? */
	size_t hidden_room;
	/* Stacks with a language's frames, and those whose native frames do not agree with them. */
	uint64_t merged, unmatched;
	bool found;       /* a process has a runtime whose frames are merged (Python) */
	bool steps;       /* a process has a runtime that unwinds its own code (Java) */
	uint64_t stepped; /* stacks with frames that a runtime has unwound */
	uint64_t gaps;    /* those of @stepped with a gap: frames that were not on the stack */
	uint64_t forced;  /* stacks unwound without all memory that they need (hold.c) */
};

/* The runtime of a process's image. */
struct image_runtime {
	const struct runtime *runtime;
	void *state;
	struct runtime_table table;
	bool asked;       /* @table was sent to the supervisor */
	bool said;        /* the runtime's problem was noted in the profile */
	struct peek peek; /* reads memory for a runtime that unwinds its own code */
};

void runtimes_release(struct runtimes *runtimes);
void image_runtime_free(struct image_runtime *runtime);

/* Looks for a runtime in a process whose mappings are new, unless one is known. -ENOMEM. */
int runtimes_detect(struct runtimes *runtimes, struct image_space *image);

/* Copies the runtime's record that precedes its sample. -ENOMEM. */
int runtimes_take(struct runtimes *runtimes, uint64_t time_ns, const struct record_runtime *record);
/* Passes a code object to the runtime of its process. -ENOMEM. */
int runtimes_object(
	struct runtimes *runtimes, struct image_space *image, const struct record_object *object);
/* Begins a sample: drops a runtime's record of another time than @time_ns. */
void runtimes_sample_begins(struct runtimes *runtimes, uint64_t time_ns);
/* Ends a sample: drops the runtime's record, whether or not it was used. */
void runtimes_sample_over(struct runtimes *runtimes);

/*
 * Sets runtimes->stack to the language's frames of a sample, and runtimes->hidden. 1: there are
 * frames to be shown; 0: there are none, or they do not agree with the native stack (this is
 * counted); -ENOMEM.
 */
int runtimes_merge(struct runtimes *runtimes, struct image_space *image,
	const struct record_sample *sample, const struct unwind_result *result);

/* Does the process have a runtime that unwinds its own code? */
bool runtimes_steps(const struct image_space *image);
/* Implements unwind_input.runtime, with memory of @now_ns or later. 1, 0, -ENOMEM. */
int runtimes_step(struct runtimes *runtimes, struct image_space *image, uint64_t now_ns,
	const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
/* Keeps memory that the process's runtime has requested. -ENOMEM. */
int runtimes_memory(
	struct image_space *image, uint64_t time_ns, const struct record_memory *memory);
/* Does the runtime of any process wait for memory? */
bool runtimes_waiting(const struct runtimes *runtimes, const struct spaces *spaces);
/* Calls @act with the struct peek of each process whose runtime unwinds its own code. */
void runtimes_each(const struct runtimes *runtimes, const struct spaces *spaces,
	void (*act)(struct peek *peek));

/* Sets the figures of the audit, if a runtime was found. -errno. */
int runtimes_close(const struct runtimes *runtimes, struct profile *profile);

#endif
