/* SPDX-License-Identifier: MIT */
/*
 * The languages' runtimes in the processes of a record stream: finds them, has the supervisor read
 * their frames, and puts these frames into the stacks.
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

/* The frame of a stack without frames of the language, for RUNTIMES_ONLY. */
#define RUNTIMES_NONE_OF_THEM "[no Python]"
/* The frame between a function of the language and its wait for the interpreter's lock. */
#define RUNTIMES_WAITS "[waiting for the GIL]"
/* A label of the stack of --dump whose thread holds that lock. */
#define RUNTIMES_LOCK      "gil"
#define RUNTIMES_LOCK_HELD "held"

struct runtimes_options {
	enum runtimes_show show;
	bool own_frames; /* do not fold the frames of the interpreter */
	bool examined;   /* tell the supervisor when a process has been examined */
	/* Sends requests to the supervisor; false: not now. NULL: there is none. */
	bool (*request)(void *context, const uint8_t *data, size_t bytes);
	void *context;
};

struct runtimes {
	struct runtimes_options options;
	struct locations *locations; /* borrowed */
	/* The record that belongs to the next sample; tid 0: none. */
	struct record_runtime pending;
	uint64_t pending_ns; /* CLOCK_MONOTONIC of that record, which is the sample's */
	uint8_t *frame;      /* frames of that record, copied */
	size_t frame_room;
	struct runtime_stack stack; /* the language's part of the current sample */
	uint8_t *hidden;            /* by native frame of the current sample: it is not shown */
	size_t hidden_room;
	uint64_t merged, unmatched;
	bool found;       /* there is a runtime with frames to be merged */
	bool steps;       /* there is a runtime that unwinds its own code */
	uint64_t stepped; /* stacks with frames of such a runtime */
	uint64_t gaps;    /* of these, with frames that were not on the stack */
	uint64_t forced;  /* stacks that were taken without memory that they need */
};

/* The runtime of a process's image. */
struct image_runtime {
	const struct runtime *runtime;
	void *state;
	struct runtime_table table;
	bool asked;       /* the supervisor has the table */
	bool said;        /* what there is to say about it */
	struct peek peek; /* of a runtime that unwinds its own code */
};

void runtimes_release(struct runtimes *runtimes);
void image_runtime_free(struct image_runtime *runtime);

/* The mappings of a process are new: looks for a runtime, unless one is known. -ENOMEM. */
int runtimes_detect(struct runtimes *runtimes, struct image_space *image);

/* Takes the records that precede a sample. -ENOMEM. */
int runtimes_take(struct runtimes *runtimes, uint64_t time_ns, const struct record_runtime *record);
int runtimes_object(
	struct runtimes *runtimes, struct image_space *image, const struct record_object *object);
/*
 * A sample with this time begins.
 * _over(): it has been taken, or dropped.
 */
void runtimes_sample_begins(struct runtimes *runtimes, uint64_t time_ns);
void runtimes_sample_over(struct runtimes *runtimes);

/*
 * Places the language's frames in a stack: sets runtimes->stack, and which native frames are
 * hidden. 1: there are such frames; 0: none, or they do not agree with the stack, which is counted.
 * -ENOMEM.
 */
int runtimes_merge(struct runtimes *runtimes, struct image_space *image,
	const struct record_sample *sample, const struct unwind_result *result);

/* Does the process have a runtime that unwinds its own code? */
bool runtimes_steps(const struct image_space *image);
/* As unwind_input.runtime, at the time @now_ns. */
int runtimes_step(struct runtimes *runtimes, struct image_space *image, uint64_t now_ns,
	const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller);
/* Memory that it has requested has come. -ENOMEM. */
int runtimes_memory(
	struct image_space *image, uint64_t time_ns, const struct record_memory *memory);
/*
 * Of all processes: is memory awaited? Sends requests. Drops answers if there are many, or all. No
 * more answers come.
 */
bool runtimes_waiting(const struct runtimes *runtimes, const struct spaces *spaces);
void runtimes_tidy_memory(struct runtimes *runtimes, const struct spaces *spaces);
void runtimes_send(struct runtimes *runtimes, const struct spaces *spaces);
void runtimes_forget_memory(struct runtimes *runtimes, const struct spaces *spaces);
void runtimes_last(struct runtimes *runtimes, const struct spaces *spaces);

/* Sets the figures of the audit, if a runtime was found. -errno. */
int runtimes_close(const struct runtimes *runtimes, struct profile *profile);

#endif
