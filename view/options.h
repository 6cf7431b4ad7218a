/* SPDX-License-Identifier: MIT */
#ifndef VIEW_OPTIONS_H
#define VIEW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct code_reader;
struct profile;

enum report_format { REPORT_TEXT, REPORT_TSV, REPORT_CSV, REPORT_JSON };
enum report_by {
	REPORT_BY_NONE,
	REPORT_BY_RANK,
	REPORT_BY_HOST,
	REPORT_BY_PROCESS,
	REPORT_BY_THREAD,
	REPORT_BY_OBJECT
};
enum report_instructions {
	REPORT_INSTRUCTIONS_HOT,
	REPORT_INSTRUCTIONS_ALL,
	REPORT_INSTRUCTIONS_NONE
};
enum report_split {
	REPORT_SPLIT_NONE,
	REPORT_SPLIT_PROCESS,
	REPORT_SPLIT_THREAD,
	REPORT_SPLIT_NAME, /* call trees: processes of one name share a tree */
};

struct report_options {
	size_t size; /* sizeof(struct report_options) */
	enum report_format format;
	enum report_split split;
	bool sort_by_total; /* default: by self */
	unsigned limit;     /* maximum rows; 0: all */
	double min_percent; /* rows with a lower share are omitted */
	bool with_self;     /* flat, lines: omit rows whose self would show as 0.0 % */
	const char *focus;  /* only samples with a function that matches this ERE; NULL: all */
	const char *object; /* only samples whose leaf is in an object that matches this ERE */
	const char *thread; /* only threads whose name matches this ERE */
	bool no_inline;     /* inlined functions count as a part of their caller */
	bool no_demangle;   /* show the names that the linker knows, such as "_ZN1a1bEv" */
	bool color;         /* text only */
	bool ascii;         /* text only: no characters beyond ASCII */
	unsigned width;     /* text only: columns of the output; 0: unlimited */
	bool bottom_up;     /* tree: from the leaves outwards */
	/*
	 * tree: show only stacks that contain this function. A stack is shown from the outermost
	 * call of the function inwards; bottom-up, from its innermost call outwards. NULL: all.
	 */
	const char *root;
	bool icicle;               /* flame graph: the root on top */
	bool programs;             /* flame graph, @split none: a frame for each program */
	const char *value;         /* value type: cpu, wall, …; NULL: the file's default */
	const char *function;      /* callers, annotate: a name, or an ERE that matches one name */
	bool by_share;             /* diff: compare shares, not times */
	bool paths;                /* diff: compare call paths, not functions */
	bool has_fail_above;       /* diff: fail if something is slower by more than fail_above */
	double fail_above;         /* diff: percent */
	enum report_by balance_by; /* merge: what is compared; flat: what a row is */
	enum report_instructions instructions; /* annotate */
	bool fetch;                            /* doctor: download through debuginfod */
	const char *fetch_command;             /* doctor: the command that downloads; NULL: none */
	const struct code_reader *code;        /* annotate, html: reads files; may be NULL */
	/* Called now and then in long work; @done: share of it done, 0 to 1. May be NULL. */
	void (*progress)(void *context, const char *what, double done);
	void *progress_context;
	unsigned files; /* number of files merged into the profile; 0: unknown */
};

/* The two sides of a comparison, A and B, each of one or several profiles. */
struct report_sides {
	struct profile *const *profile[2];
	const char *const *name[2]; /* the file's name, by profile */
	size_t n[2];
};

/* Copies the fields that the caller's version of the struct has; the others are 0. */
static inline struct report_options options_take(const struct report_options *given)
{
	struct report_options options = {0};

	if (given)
		memcpy(&options, given,
			given->size < sizeof(options) ? given->size : sizeof(options));
	options.size = sizeof(options);
	return options;
}

#endif
