/* SPDX-License-Identifier: MIT */
/*
 * Compares two opinions about a thread's stack, frame by frame, by pc and stack pointer. Our
 * unwinder reads a copy of the stack; libunwind-ptrace reads the stopped thread.
 */
#ifndef TOOLS_STACKCHECK_STACK_OPINION_H
#define TOOLS_STACKCHECK_STACK_OPINION_H

#include <stddef.h>
#include <stdint.h>

struct arch_snapshot;
struct stack_copy;
struct opinions;

enum opinion_result {
	OPINION_AGREE,         /* all frames are equal */
	OPINION_OURS_LONGER,   /* libunwind ends where our unwinder continues */
	OPINION_THEIRS_LONGER, /* our unwinder ends where libunwind continues */
	OPINION_DIFFER,        /* different callers */
	OPINION_RESULTS,
};

/* The results for one module. A difference counts for the module of the last common frame. */
struct opinion_module {
	const char *path;
	uint64_t frames;
	uint64_t result[OPINION_RESULTS];
	/* function of the last common frame, at the last difference; "": unknown */
	const char *function;
	/* why our unwinder gave up, at the last difference at which it did; "": it never did */
	const char *why;
};

struct opinions {
	struct symbolizer *symbolizer;
	struct space *space;
	struct unwinder *unwinder;
	struct opinion_module *module;
	size_t modules, room;
	uint64_t result[OPINION_RESULTS], frames;
	uint64_t *pc, *sp; /* libunwind's frames of the current thread */
	size_t n;
	void *as;
};

/* 0 or -errno; on failure nothing is left to release. */
int opinions_init(struct opinions *opinions, int pid);
void opinions_release(struct opinions *opinions);

/* Reads the mappings of @pid again. 0 or -errno. */
int opinions_learn(struct opinions *opinions, int pid);
/* Runs libunwind on the thread @tid, which the calling thread has stopped by ptrace. */
void opinions_ask_libunwind(struct opinions *opinions, int tid);
/* Runs our unwinder, and compares its frames with libunwind's. 0 or -ENOMEM. */
int opinions_compare(struct opinions *opinions, const struct arch_snapshot *snapshot,
	const struct stack_copy *stack);

#endif
