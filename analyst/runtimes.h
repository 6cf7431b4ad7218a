/* SPDX-License-Identifier: MIT */
/*
 * Finds the runtimes of languages, requests the languages' frames from the supervisor, and puts
 * these frames into the stacks.
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

/* With RUNTIMES_ONLY, the only frame of a stack without frames of the language. */
#define RUNTIMES_NONE_OF_THEM "[no Python]"
/*
 * The frame, called by a function of the language, which says that the thread waits for the
 * interpreter's lock.
 */
#define RUNTIMES_WAITS "[waiting for the GIL]"
/* --dump: the label of the thread that holds the interpreter's lock. */
#define RUNTIMES_LOCK      "gil"
#define RUNTIMES_LOCK_HELD "held"

struct runtimes_options {
	enum runtimes_show show;
	bool own_frames; /* also show the interpreter's own frames */
	/* Sends requests to the supervisor; false: not possible now. NULL: no supervisor. */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
};

struct runtimes {
	struct runtimes_options options;
	struct locations *locations; /* borrowed */
	/* The next sample's RECORD_RUNTIME; tid 0: none. */
	struct record_runtime pending;
	uint64_t pending_ns; /* CLOCK_MONOTONIC of @pending and of its sample */
	uint8_t *frame;      /* the frames of @pending; owned */
	size_t frame_room;
	struct runtime_stack stack; /* the language's part of the current sample */
	uint8_t *hidden;            /* for each native frame of the current sample: is it hidden? */
	size_t hidden_room;
	/* number of stacks whose frames of a language fit the native frames, and of the others */
	uint64_t merged, unmatched;
	bool found;       /* a process has a runtime with merge() (Python) */
	bool steps;       /* a process has a runtime with step() (Java) */
	uint64_t stepped; /* stacks with frames unwound by a runtime */
	uint64_t gaps;    /* stacks in which a frame stands for unread frames in Java's heap */
	uint64_t forced;  /* samples taken without memory that did not come in time (hold.c) */
};

struct image_runtime {
	const struct runtime *runtime;
	void *state;
	struct runtime_table table;
	bool asked;       /* the supervisor has @table */
	bool said;        /* the profile has a note on the problem */
	struct peek peek; /* for a runtime that unwinds its own code */
};

void runtimes_release(struct runtimes *runtimes);
void image_runtime_free(struct image_runtime *runtime);

/* Looks for a runtime in a process that has new mappings and no known runtime. -ENOMEM. */
int runtimes_detect(struct runtimes *runtimes, struct image_space *image);

/* Copies the RECORD_RUNTIME that precedes its sample. -ENOMEM. */
int runtimes_take(struct runtimes *runtimes, uint64_t time_ns, const struct record_runtime *record);
/* Passes a code object to the process's runtime. -ENOMEM. */
int runtimes_object(
	struct runtimes *runtimes, struct image_space *image, const struct record_object *object);
/* Begins a sample of @time_ns: drops the pending RECORD_RUNTIME if it is of another time. */
void runtimes_sample_begins(struct runtimes *runtimes, uint64_t time_ns);
/* Ends a sample: drops its RECORD_RUNTIME. */
void runtimes_sample_over(struct runtimes *runtimes);

/*
 * Sets runtimes->stack to the language's frames of a sample, and runtimes->hidden. 1: there are
 * frames to show; 0: there are none, or they do not fit the native stack; -ENOMEM. Frames that do
 * not fit count in runtimes->unmatched; RUNTIMES_ONLY shows them nevertheless.
 */
int runtimes_merge(struct runtimes *runtimes, struct image_space *image,
	const struct record_sample *sample, const struct unwind_result *result);

bool runtimes_steps(const struct image_space *image);
/* Implements unwind_input.runtime, with memory of @now_ns or later. */
int runtimes_step(struct runtimes *runtimes, struct image_space *image, uint64_t now_ns,
	const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
int runtimes_memory(
	struct image_space *image, uint64_t time_ns, const struct record_memory *memory);
bool runtimes_waiting(const struct runtimes *runtimes, const struct spaces *spaces);
/* Calls @act with the struct peek of each process whose runtime unwinds its own code. */
void runtimes_each(const struct runtimes *runtimes, const struct spaces *spaces,
	void (*act)(struct peek *peek));

/* Sets the audit's figures on the runtimes that were found. 0 or -errno. */
int runtimes_close(const struct runtimes *runtimes, struct profile *profile);

#endif
