/* SPDX-License-Identifier: MIT */
/*
 * Reports: a profile in, text out. Each report is an entry of a const table, chosen by name.
 * They know no pids, pipes or ptrace; `sprofreport` and the end of `sprofrun` call the same ones.
 */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct code_reader;
struct profile;

enum report_format { REPORT_TEXT, REPORT_TSV, REPORT_CSV, REPORT_JSON };
enum report_by { REPORT_BY_NONE, REPORT_BY_RANK, REPORT_BY_HOST, REPORT_BY_PROCESS };
enum report_instructions {
	REPORT_INSTRUCTIONS_HOT,
	REPORT_INSTRUCTIONS_ALL,
	REPORT_INSTRUCTIONS_NONE
};
enum report_split {
	REPORT_SPLIT_NONE,
	REPORT_SPLIT_PROCESS,
	REPORT_SPLIT_THREAD,
	REPORT_SPLIT_NAME, /* processes of one name together; call trees only */
};

struct report_options {
	size_t size; /* sizeof(struct report_options) */
	enum report_format format;
	enum report_split split;
	bool sort_by_total; /* default: by self */
	unsigned limit;     /* most rows, 0 all */
	double min_percent; /* rows below are left out */
	const char *focus;  /* only samples with a function that matches this ERE; NULL all */
	const char *object; /* only samples whose leaf is in an object that matches */
	const char *thread; /* only threads whose name matches */
	bool no_inline;     /* fold inlined functions into the real one */
	bool no_demangle;   /* names as linked */
	bool color;         /* text only */
	bool ascii;         /* text only: no character beyond ASCII */
	unsigned width;     /* columns of the output, 0 unlimited; text only */
	bool bottom_up;     /* tree: from the leaves outwards */
	bool icicle;        /* flame graph: the root on top */
	bool programs;      /* flame graph without a split: each program on its own */
	const char *value;  /* the kind of values that it is about: cpu, wall, …; NULL as the file
			       says */
	const char *function;      /* callers, annotate: a function's name, or an ERE that one name
				      matches */
	bool by_share;             /* diff: of shares, not of times */
	bool paths;                /* diff: call paths, not functions */
	bool has_fail_above;       /* diff: tell whether something got slower by more than … */
	double fail_above;         /* … percent */
	enum report_by balance_by; /* merge: whom to compare */
	enum report_instructions instructions; /* annotate */
	bool fetch;                            /* doctor: debug files are got from debuginfod */
	const struct code_reader *code;        /* annotate, html: reads files; NULL nobody does */
	/* Called now and then in long work, if not NULL: @done is 0 to 1. */
	void (*progress)(void *context, const char *what, double done);
	void *progress_context;
};

/* Two sides, A and B, each of one run or several. */
struct report_sides {
	struct profile *const *profile[2];
	const char *const *name[2]; /* of their files */
	size_t n[2];
};

struct report {
	const char *name;        /* "flat" */
	const char *help;        /* one line */
	bool wants_function;     /* it is about options->function */
	double text_min_percent; /* the min_percent for people who ask for none */
	/*
	 * Writes the report. -EINVAL: a pattern of the options is not a regular expression;
	 * -ENOENT: there is no such function, or several; @ret_problem then holds the sentence
	 * (freed by the caller), else it is untouched. Write errors are the caller's to find
	 * (ferror).
	 */
	int (*print)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * If not NULL, instead of print: of two sides. 1: what options->fail_above asks for is
	 * there.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no report of that name. */
const struct report *report_find(const char *name);
/* The @index-th report, NULL past the end. */
const struct report *report_at(size_t index);

/* The audit, in a few lines for people, and the notes: as every text report ends with them. */
void report_audit_line(const struct profile *profile, bool ascii, FILE *out);

#endif
