/* SPDX-License-Identifier: MIT */
/*
 * Two opinions about the stack of a thread: ours, of a copy, and that of libunwind-ptrace, which
 * reads the thread while it is stopped. They are compared frame by frame, by pc and stack pointer.
 */
#ifndef TOOLS_STACK_OPINION_H
#define TOOLS_STACK_OPINION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_snapshot;
struct stack_copy;
struct opinions;

enum opinion_result {
	OPINION_AGREE,         /* all frames are the same, and both end there */
	OPINION_OURS_LONGER,   /* libunwind ends where ours goes on */
	OPINION_THEIRS_LONGER, /* ours ends where libunwind goes on */
	OPINION_DIFFER,        /* they find different callers */
	OPINION_RESULTS,
};

/* How it went with the frames of one module: what differs lies in the step out of it. */
struct opinion_module {
	const char *path;
	uint64_t frames;
	uint64_t result[OPINION_RESULTS];
	const char *function; /* of the last difference: where both still agree; "" unknown */
	const char *why;      /* why ours ended there, "" it did not */
};

struct opinions {
	struct symbolizer *symbolizer;
	struct space *space;
	struct unwinder *unwinder;
	struct opinion_module *module;
	size_t modules, room;
	uint64_t result[OPINION_RESULTS], frames;
	uint64_t *pc, *sp; /* theirs, of the thread that is examined */
	size_t n;
	bool complete; /* libunwind says that it is at the end */
	void *as;
};

/* -errno. */
int opinions_init(struct opinions *opinions, int pid);
void opinions_release(struct opinions *opinions);

/* Reads the mappings anew. -errno. */
int opinions_learn(struct opinions *opinions, int pid);
/* Asks libunwind, while the thread is stopped by this one. */
void opinions_ask_libunwind(struct opinions *opinions, int tid);
/* Asks our unwinder, and compares. -ENOMEM. */
int opinions_compare(struct opinions *opinions, const struct arch_snapshot *snapshot,
	const struct stack_copy *stack);

#endif
