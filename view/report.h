/* SPDX-License-Identifier: MIT */
/*
 * Reports: write text about a profile. Each report is an entry of a const table, chosen by name.
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
	REPORT_SPLIT_NAME, /* processes with the same name together; call trees only */
};

struct report_options {
	size_t size; /* sizeof(struct report_options) */
	enum report_format format;
	enum report_split split;
	bool sort_by_total; /* default: by self */
	unsigned limit;     /* maximum rows, 0 all */
	double min_percent; /* rows below are omitted */
	const char *focus;  /* only samples with a function that matches this ERE; NULL all */
	const char *object; /* only samples whose leaf is in an object that matches */
	const char *thread; /* only threads whose name matches */
	bool no_inline;     /* merge inlined functions into the function that is not inlined */
	bool no_demangle;   /* names as linked */
	bool color;         /* text only */
	bool ascii;         /* text only: no characters beyond ASCII */
	unsigned width;     /* columns of the output, 0 unlimited; text only */
	bool bottom_up;     /* tree: from the leaves outwards */
	bool icicle;        /* flame graph: the root on top */
	bool programs;      /* flame graph without a split: each program separately */
	const char *value;  /* the value type: cpu, wall, …; NULL: the file's default */
	/* callers, annotate: a function's name, or an ERE that matches one name */
	const char *function;
	bool by_share;             /* diff: of shares, not of times */
	bool paths;                /* diff: call paths, not functions */
	bool has_fail_above;       /* diff: report whether something got slower by more than … */
	double fail_above;         /* … percent */
	enum report_by balance_by; /* merge: the units to compare */
	enum report_instructions instructions; /* annotate */
	bool fetch;                            /* doctor: download debug files through debuginfod */
	const struct code_reader *code; /* annotate, html: reads files; NULL: not available */
	/* Called from time to time in long work, if not NULL: @done is 0 to 1. */
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
	bool wants_function;     /* needs options->function */
	double text_min_percent; /* default of min_percent for text */
	/*
	 * Writes the report. -EINVAL: a pattern of the options is not a regular expression;
	 * -ENOENT: no such function, or several; @ret_problem is then set to a sentence, which may
	 * end with a list of a name a line (freed by the caller), otherwise unchanged. The caller
	 * checks for write errors (ferror).
	 */
	int (*print)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * If not NULL, used instead of print, for two sides. 1: the condition of
	 * options->fail_above is met; @ret_problem then says by what.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no report of that name. */
const struct report *report_find(const char *name);
/* The @index-th report, NULL past the end. */
const struct report *report_at(size_t index);

/*
 * The audit, in a few lines, and the notes: the end of every text report. Wrapped to @width
 * columns, unless that is 0. 0 or -ENOMEM.
 */
int report_audit_line(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* The same without a recommendation of doctor: the end of doctor itself. */
int report_audit_figures(const struct profile *profile, bool ascii, unsigned width, FILE *out);

#endif
